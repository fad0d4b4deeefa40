package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roaringbitmap.RoaringBitmap;

/**
 * One shuffle: every block taken and where it is.
 *
 * <p>A frame's body is kept whole while any block of it is in memory; each stretch of a frame that
 * belongs to one partition is one extent there, however many blocks it has. Frames leave memory in
 * the order in which they came, whole ({@code docs/decisions/0001-spill-whole-frames.md}): so a run
 * holds exactly one contiguous stretch of each partition, and writing one frees whole slabs.
 *
 * <p>States: {@code UNWRITTEN -> LIVE -> EXPIRED}, or {@code UNWRITTEN -> EXPIRED}. Expired is
 * terminal; appends to it are refused.
 *
 * <p>Thread-safe with one lock. What runs under it is bookkeeping of microseconds; buffers are
 * released and waiters called outside it.
 */
public final class ShuffleLog {
  private enum State {
    UNWRITTEN,
    LIVE,
    EXPIRED
  }

  /** Swapping this many extents at once keeps the lock for well under a millisecond. */
  private static final int SWAP_AT_ONCE = 512;

  private final ShuffleKey key;
  private final LogConfig config;
  private final LogTotals totals;
  private final Object lock = new Object();

  // All guarded by lock.
  private State state = State.UNWRITTEN;
  private final Map<Integer, PartitionLog> partitions = new HashMap<>();
  private final AttemptTable attempts = new AttemptTable();
  private LoggedFrame oldest;
  private LoggedFrame newest;
  private long arrivals;
  private long bufferedBytes;
  private int bufferedExtents;
  private long storedBytes;
  private final List<StoredRun> runs = new ArrayList<>();
  private final Map<Integer, List<OpenWait>> waitsByPartition = new HashMap<>();
  private final Set<OpenWait> waits = new HashSet<>();

  public ShuffleLog(ShuffleKey key, LogConfig config, LogTotals totals) {
    this.key = key;
    this.config = config;
    this.totals = totals;
  }

  public ShuffleKey key() {
    return key;
  }

  /**
   * Appends the blocks of a frame that are new.
   *
   * @param body takes: verified, exactly the blocks of {@code batch}
   * @param heldBytes bytes of the memory budget that the body holds
   * @throws SluiceException EXPIRED, NO_SPACE; then nothing was appended
   */
  public AppendResult append(ByteBuf body, long heldBytes, BlockBatch batch)
      throws SluiceException {
    List<OpenWait> ended = new ArrayList<>();
    AppendResult result;
    boolean kept = false;
    try {
      synchronized (lock) {
        checkCanAppend(batch);
        Appender appender = new Appender(body, heldBytes, batch, ended);
        result = appender.run();
        kept = appender.linked;
      }
    } finally {
      if (!kept) {
        body.release();
      }
    }
    ended.forEach(OpenWait::run);
    return result;
  }

  /** Whether any block was ever appended. */
  public boolean isWritten() {
    synchronized (lock) {
      return state == State.LIVE;
    }
  }

  /** Bytes of the memory budget held by frames that no spill has taken yet. */
  public long bufferedBytes() {
    synchronized (lock) {
      return bufferedBytes;
    }
  }

  /** Bytes of blocks of the frame that the next spill would begin with; 0 when there is none. */
  public int nextSpillBytes() {
    synchronized (lock) {
      LoggedFrame frame = oldestBuffered();
      return frame == null ? 0 : frame.body.capacity();
    }
  }

  /** Extents in memory that no spill has taken yet. */
  public int bufferedExtents() {
    synchronized (lock) {
      return bufferedExtents;
    }
  }

  /** Bytes of all partitions. */
  public long storedBytes() {
    synchronized (lock) {
      return storedBytes;
    }
  }

  public int partitionCount() {
    synchronized (lock) {
      return partitions.size();
    }
  }

  /** What there is of some partitions, or null if no block was ever appended. */
  public OpenSnapshot snapshot(int[] wanted, boolean withMarks) {
    synchronized (lock) {
      if (state != State.LIVE) {
        return null;
      }
      List<OpenSnapshot.Partition> found = new ArrayList<>(wanted.length);
      // Keyed by the live bitmaps, which do not change under the lock.
      Map<RoaringBitmap, Integer> sets = new HashMap<>();
      List<RoaringBitmap> distinct = new ArrayList<>();
      for (int index : wanted) {
        PartitionLog partition = partitions.get(index);
        if (partition == null) {
          found.add(null);
          continue;
        }
        RoaringBitmap complete = partition.attempts.complete();
        Integer set = sets.get(complete);
        if (set == null) {
          set = distinct.size();
          sets.put(complete, set);
          distinct.add(complete.clone());
        }
        found.add(
            new OpenSnapshot.Partition(
                partition.length(), set, withMarks ? partition.marks.snapshot() : List.of()));
      }
      return new OpenSnapshot(found, distinct, attempts.byOrdinal());
    }
  }

  /**
   * Finds the bytes of some ranges; neighbours in the same place become one piece.
   *
   * @return owned pieces, in the order of the ranges
   * @throws SluiceException OUT_OF_RANGE, NEVER_WRITTEN, EXPIRED
   */
  public List<LogPiece> read(List<LogRange> ranges) throws SluiceException {
    PieceList pieces = new PieceList();
    boolean whole = false;
    try {
      synchronized (lock) {
        checkCanRead();
        for (LogRange range : ranges) {
          read(range, pieces);
        }
        pieces.retainAll();
        whole = true;
      }
    } finally {
      if (!whole) {
        pieces.clear();
      }
    }
    return pieces.list();
  }

  /**
   * Takes the oldest frames that no spill has taken, at least one, to be written as one run.
   *
   * @param maxBytes most bytes of blocks, but for a single larger frame
   * @return null when there is none; else to be ended by {@link #completeSpill} or {@link
   *     #abortSpill}
   */
  public SpillBatch takeForSpill(long maxBytes) {
    List<LoggedFrame> taken = new ArrayList<>();
    long held = 0;
    int extents = 0;
    synchronized (lock) {
      LoggedFrame frame = oldestBuffered();
      long length = 0;
      while (frame != null
          && frame.state == LoggedFrame.State.BUFFERED
          && (taken.isEmpty()
              || (length + frame.body.capacity() <= maxBytes
                  && frame.arrival == taken.get(taken.size() - 1).arrival + 1))) {
        frame.state = LoggedFrame.State.SPILLING;
        frame.body.retain();
        taken.add(frame);
        held += frame.heldBytes;
        length += frame.body.capacity();
        extents += frame.extents.length;
        frame = frame.next;
      }
      bufferedBytes -= held;
      bufferedExtents -= extents;
      totals.beginSpilling(held, extents);
    }
    return taken.isEmpty() ? null : new SpillBatch(this, taken.toArray(new LoggedFrame[0]), held);
  }

  /**
   * The batch has been written: its bytes are from now on those of the run, and its memory is given
   * back as soon as no reader holds it.
   *
   * @param run takes: the log discards it when it expires
   * @param fileOffsets where each of the batch's parts begins in the file
   */
  public void completeSpill(SpillBatch batch, StoredRun run, long[] fileOffsets) {
    boolean registered;
    synchronized (lock) {
      registered = state == State.LIVE;
      if (registered) {
        runs.add(run);
      }
    }
    List<SpillBatch.Part> parts = batch.parts();
    boolean live = registered;
    for (int from = 0; live && from < parts.size(); from += SWAP_AT_ONCE) {
      live = swap(parts, from, Math.min(parts.size(), from + SWAP_AT_ONCE), run, fileOffsets);
    }
    List<ByteBuf> gone = new ArrayList<>();
    synchronized (lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          unlink(frame);
          gone.add(frame.body);
        }
      }
    }
    gone.forEach(ByteBuf::release);
    batch.releaseBodies();
    totals.endSpilling(batch.heldBytes());
    if (!registered) {
      run.discard();
    }
  }

  /** The batch could not be written: its frames are as before and will be taken again. */
  public void abortSpill(SpillBatch batch) {
    synchronized (lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          frame.state = LoggedFrame.State.BUFFERED;
          bufferedBytes += frame.heldBytes;
          bufferedExtents += frame.extents.length;
          totals.addBuffered(frame.heldBytes, frame.extents.length);
        }
      }
      totals.endSpilling(batch.heldBytes());
    }
    batch.releaseBodies();
  }

  /**
   * Begins a wait.
   *
   * @return false if there is nothing to wait for: it is satisfied already, or the shuffle expired
   */
  public boolean addWait(OpenWait wait) {
    synchronized (lock) {
      if (state == State.EXPIRED) {
        return false;
      }
      long[] known = attempts.byOrdinal();
      for (int ordinal = 0; ordinal < attempts.count(); ordinal++) {
        wait.sawAttempt(known[ordinal], ordinal);
      }
      RoaringBitmap none = new RoaringBitmap();
      for (int i = 0; i < wait.partitions.length; i++) {
        PartitionLog partition = partitions.get(wait.partitions[i]);
        wait.begin(i, partition == null ? none : partition.attempts.complete());
      }
      if (wait.isSatisfied()) {
        return false;
      }
      waits.add(wait);
      for (int partition : wait.partitions) {
        waitsByPartition.computeIfAbsent(partition, unused -> new ArrayList<>(1)).add(wait);
      }
      return true;
    }
  }

  /**
   * Ends a wait that time ran out for.
   *
   * @return false if it had ended before
   */
  public boolean cancelWait(OpenWait wait) {
    synchronized (lock) {
      return endWait(wait);
    }
  }

  /** Forgets everything. Memory is given back at once, runs when their readers are done. */
  public void expire() {
    List<ByteBuf> bodies = new ArrayList<>();
    List<StoredRun> released;
    List<OpenWait> ended;
    synchronized (lock) {
      if (state == State.EXPIRED) {
        return;
      }
      state = State.EXPIRED;
      for (LoggedFrame frame = oldest; frame != null; frame = frame.next) {
        frame.state = LoggedFrame.State.GONE;
        bodies.add(frame.body);
      }
      oldest = null;
      newest = null;
      totals.addBuffered(-bufferedBytes, -bufferedExtents);
      totals.addStored(-storedBytes);
      totals.addPartitions(-partitions.size());
      bufferedBytes = 0;
      bufferedExtents = 0;
      storedBytes = 0;
      partitions.clear();
      released = new ArrayList<>(runs);
      runs.clear();
      ended = new ArrayList<>(waits);
      ended.forEach(this::endWait);
    }
    bodies.forEach(ByteBuf::release);
    released.forEach(StoredRun::discard);
    ended.forEach(OpenWait::run);
  }

  private void checkCanAppend(BlockBatch batch) throws SluiceException {
    if (state == State.EXPIRED) {
      throw expired();
    }
    if (attempts.count() > config.maxAttempts() - batch.count()
        && countNewAttempts(batch) > config.maxAttempts() - attempts.count()) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          key + ": more than " + config.maxAttempts() + " map attempts in one shuffle");
    }
    long room = Math.min(config.maxPartitions() - partitions.size(), totals.partitionRoom());
    if (batch.count() > room && countNewPartitions(batch) > room) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          key
              + ": the server has no room for more partitions, this shuffle has "
              + partitions.size()
              + ", all have "
              + totals.partitions());
    }
  }

  private int countNewAttempts(BlockBatch batch) {
    Set<Long> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (attempts.find(batch.attempt(i)) < 0) {
        unknown.add(batch.attempt(i));
      }
    }
    return unknown.size();
  }

  private int countNewPartitions(BlockBatch batch) {
    Set<Integer> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (!partitions.containsKey(batch.partition(i))) {
        unknown.add(batch.partition(i));
      }
    }
    return unknown.size();
  }

  private SluiceException expired() {
    return new SluiceException(
        StatusCode.EXPIRED,
        key + ": the shuffle was unregistered or its application's lease ended");
  }

  private void checkCanRead() throws SluiceException {
    if (state == State.EXPIRED) {
      throw expired();
    }
    if (state == State.UNWRITTEN) {
      throw new SluiceException(StatusCode.NEVER_WRITTEN, key + ": no block was ever written here");
    }
  }

  private void read(LogRange range, PieceList pieces) throws SluiceException {
    PartitionLog partition = partitions.get(range.partition());
    long length = partition == null ? 0 : partition.length();
    if (range.offset() < 0 || range.length() < 1 || range.length() > length - range.offset()) {
      throw new SluiceException(
          StatusCode.OUT_OF_RANGE,
          key
              + " partition="
              + range.partition()
              + ": asked for "
              + range.length()
              + " bytes from "
              + range.offset()
              + ", has "
              + length);
    }
    long offset = range.offset();
    long end = offset + range.length();
    for (int at = partition.find(offset); offset < end; at++) {
      Extent extent = partition.extent(at);
      int skip = (int) (offset - extent.start);
      int take = (int) Math.min(extent.length - skip, end - offset);
      pieces.add(extent, skip, take);
      offset += take;
    }
  }

  private boolean swap(
      List<SpillBatch.Part> parts, int from, int to, StoredRun run, long[] fileOffsets) {
    synchronized (lock) {
      if (state != State.LIVE) {
        return false;
      }
      for (int i = from; i < to; i++) {
        SpillBatch.Part part = parts.get(i);
        partitions
            .get(part.partition())
            .replace(new Extent.InFile(run, fileOffsets[i], part.length(), part.start()));
      }
      return true;
    }
  }

  private LoggedFrame oldestBuffered() {
    LoggedFrame frame = oldest;
    while (frame != null && frame.state != LoggedFrame.State.BUFFERED) {
      frame = frame.next;
    }
    return frame;
  }

  private void link(LoggedFrame frame) {
    frame.previous = newest;
    if (newest == null) {
      oldest = frame;
    } else {
      newest.next = frame;
    }
    newest = frame;
  }

  private void unlink(LoggedFrame frame) {
    frame.state = LoggedFrame.State.GONE;
    if (frame.previous == null) {
      oldest = frame.next;
    } else {
      frame.previous.next = frame.next;
    }
    if (frame.next == null) {
      newest = frame.previous;
    } else {
      frame.next.previous = frame.previous;
    }
  }

  /** Forgets a wait; true the first time. */
  private boolean endWait(OpenWait wait) {
    if (!wait.end()) {
      return false;
    }
    waits.remove(wait);
    for (int partition : wait.partitions) {
      List<OpenWait> there = waitsByPartition.get(partition);
      there.remove(wait);
      if (there.isEmpty()) {
        waitsByPartition.remove(partition);
      }
    }
    return true;
  }

  /** One append, under the lock. */
  private final class Appender {
    private final BlockBatch batch;
    private final List<OpenWait> ended;
    private final LoggedFrame frame;
    private final List<Extent.InMemory> extents = new ArrayList<>();
    private final List<Integer> full = new ArrayList<>();
    private int keptBlocks;
    private long keptBytes;
    private boolean linked;

    Appender(ByteBuf body, long heldBytes, BlockBatch batch, List<OpenWait> ended) {
      this.batch = batch;
      this.ended = ended;
      this.frame = new LoggedFrame(body, heldBytes, arrivals);
    }

    AppendResult run() {
      int block = 0;
      while (block < batch.count()) {
        block = appendPartition(block);
      }
      if (batch.count() > 0) {
        state = State.LIVE;
      }
      if (!extents.isEmpty()) {
        frame.extents = extents.toArray(new Extent.InMemory[0]);
        link(frame);
        linked = true;
        arrivals++;
        bufferedBytes += frame.heldBytes;
        bufferedExtents += frame.extents.length;
        storedBytes += keptBytes;
        totals.addBuffered(frame.heldBytes, frame.extents.length);
        totals.addStored(keptBytes);
      }
      return new AppendResult(keptBlocks, keptBytes, batch.count() - keptBlocks, full);
    }

    /** Appends the neighbouring blocks of one partition; returns the number of the next block. */
    private int appendPartition(int first) {
      int index = batch.partition(first);
      PartitionLog partition = partitions.get(index);
      if (partition == null) {
        partition = new PartitionLog(index);
        partitions.put(index, partition);
        totals.addPartitions(1);
      }
      int stretchStart = -1;
      int block = first;
      for (; block < batch.count() && batch.partition(block) == index; block++) {
        if (accept(partition, block)) {
          stretchStart = stretchStart < 0 ? batch.offset(block) : stretchStart;
        } else if (stretchStart >= 0) {
          append(partition, stretchStart, batch.offset(block));
          stretchStart = -1;
        }
      }
      if (stretchStart >= 0) {
        append(partition, stretchStart, batch.offset(block));
      }
      if (partition.length() > config.hugePartitionBytes()) {
        full.add(index);
      }
      return block;
    }

    private void append(PartitionLog partition, int start, int end) {
      Extent.InMemory extent =
          new Extent.InMemory(frame, partition, start, end - start, partition.length());
      partition.append(extent);
      extents.add(extent);
      keptBytes += extent.length;
    }

    private boolean accept(PartitionLog partition, int block) {
      long attempt = batch.attempt(block);
      int ordinal = attempts.find(attempt);
      if (ordinal < 0) {
        ordinal = attempts.add(attempt);
        for (OpenWait wait : waits) {
          wait.sawAttempt(attempt, ordinal);
        }
      }
      AttemptProgress.Verdict verdict =
          partition.attempts.accept(ordinal, batch.sequence(block), batch.isLast(block));
      if (verdict == AttemptProgress.Verdict.DUPLICATE) {
        return false;
      }
      partition.marks.add(batch.mapIndex(block), batch.blockLength(block), config.markBytes());
      keptBlocks++;
      if (verdict == AttemptProgress.Verdict.COMPLETED && !waits.isEmpty()) {
        tellWaits(partition.index, ordinal);
      }
      return true;
    }

    private void tellWaits(int partition, int ordinal) {
      for (OpenWait wait : List.copyOf(waitsByPartition.getOrDefault(partition, List.of()))) {
        wait.completed(partition, ordinal);
        if (wait.isSatisfied() && endWait(wait)) {
          ended.add(wait);
        }
      }
    }
  }

  /** Pieces of a read, neighbours joined. Under the lock until {@link #retainAll}. */
  private static final class PieceList {
    private final List<Extent> extents = new ArrayList<>();
    private long[] starts = new long[8];
    private int[] lengths = new int[8];
    private final List<LogPiece> pieces = new ArrayList<>();

    void add(Extent extent, int skip, int length) {
      long start =
          extent instanceof Extent.InFile file
              ? file.fileOffset + skip
              : ((Extent.InMemory) extent).bodyOffset + skip;
      int last = extents.size() - 1;
      if (last >= 0
          && inSamePlace(extents.get(last), extent)
          && starts[last] + lengths[last] == start) {
        lengths[last] += length;
        return;
      }
      extents.add(extent);
      if (extents.size() > starts.length) {
        starts = Arrays.copyOf(starts, starts.length * 2);
        lengths = Arrays.copyOf(lengths, lengths.length * 2);
      }
      starts[last + 1] = start;
      lengths[last + 1] = length;
    }

    void retainAll() {
      for (int i = 0; i < extents.size(); i++) {
        if (extents.get(i) instanceof Extent.InFile file) {
          file.run.retain();
          pieces.add(new LogPiece.InFile(file.run, starts[i], lengths[i]));
        } else {
          LoggedFrame frame = ((Extent.InMemory) extents.get(i)).frame;
          pieces.add(new LogPiece.InMemory(frame.body.retainedSlice((int) starts[i], lengths[i])));
        }
      }
    }

    void clear() {
      pieces.forEach(LogPiece::release);
    }

    List<LogPiece> list() {
      return pieces;
    }

    private static boolean inSamePlace(Extent a, Extent b) {
      if (a instanceof Extent.InFile x && b instanceof Extent.InFile y) {
        return x.run == y.run;
      }
      return a instanceof Extent.InMemory x && b instanceof Extent.InMemory y && x.frame == y.frame;
    }
  }
}
