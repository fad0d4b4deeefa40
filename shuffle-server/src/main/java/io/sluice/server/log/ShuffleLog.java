package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.roaringbitmap.RoaringBitmap;

/**
 * One shuffle: every block taken and where it is.
 *
 * <p>A frame's body is kept whole while any block of it is in memory; each stretch of a frame that
 * belongs to one partition is one extent there, however many blocks it has. Frames leave memory in
 * the order in which they came, whole ({@code docs/decisions/0001-spill-whole-frames.md}): so a run
 * holds exactly one contiguous stretch of each partition, writing one frees whole slabs, and runs
 * that follow each other can be merged without changing an offset.
 *
 * <p>States: {@code UNWRITTEN -> LIVE -> EXPIRED}, or {@code UNWRITTEN -> EXPIRED}, or {@code
 * UNWRITTEN -> UNUSED}. The last two are terminal; appends to them are refused.
 *
 * <p>Thread-safe with one lock. What runs under it is bookkeeping of microseconds; buffers are
 * released and waiters called outside it.
 */
public final class ShuffleLog {
  private enum State {
    UNWRITTEN,
    LIVE,
    EXPIRED,
    /** Made for somebody who waited in vain; whoever still has it asks the store again. */
    UNUSED
  }

  /** Treating this many partitions at once keeps the lock for well under a millisecond. */
  private static final int PARTITIONS_AT_ONCE = 512;

  private final ShuffleKey key;
  private final LogConfig config;
  private final LogTotals totals;
  private final Object lock = new Object();

  // All guarded by lock.
  private State state = State.UNWRITTEN;
  private final LogContent content;
  private final FrameQueue frames = new FrameQueue();
  private final RunTable runs = new RunTable();
  private long bufferedBytes;
  private int bufferedExtents;
  private boolean huge;

  public ShuffleLog(ShuffleKey key, LogConfig config, LogTotals totals) {
    this.key = key;
    this.config = config;
    this.totals = totals;
    this.content = new LogContent(totals);
  }

  public ShuffleKey key() {
    return key;
  }

  /**
   * Appends the blocks of a frame that are new.
   *
   * @param body takes: verified, exactly the blocks of {@code batch}
   * @param heldBytes bytes of the memory budget that the body holds
   * @throws SluiceException EXPIRED, NO_SPACE, BUSY; then nothing was appended
   */
  public AppendResult append(ByteBuf body, long heldBytes, BlockBatch batch)
      throws SluiceException {
    List<OpenWait> ended = new ArrayList<>();
    AppendResult result;
    boolean kept = false;
    try {
      synchronized (lock) {
        checkCanAppend(batch);
        FrameAppender appender =
            new FrameAppender(content, config, body, heldBytes, frames.nextArrival(), batch, ended);
        result = appender.run();
        if (batch.count() > 0) {
          state = State.LIVE;
        }
        LoggedFrame frame = appender.kept();
        if (frame != null) {
          frames.link(frame);
          content.addStored(result.keptBytes());
          addBuffered(frame);
          if (!result.fullPartitions().isEmpty()) {
            becomeHuge();
          }
          kept = true;
        }
      }
    } finally {
      if (!kept) {
        body.release();
      }
    }
    ended.forEach(OpenWait::run);
    return result;
  }

  /**
   * Ends a log that no block was appended to and nobody waits for.
   *
   * @return whether it ended
   */
  boolean endIfUnused() {
    synchronized (lock) {
      if (state != State.UNWRITTEN || !content.waits.isEmpty()) {
        return false;
      }
      state = State.UNUSED;
      return true;
    }
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
      LoggedFrame frame = frames.oldestBuffered();
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
      return content.storedBytes();
    }
  }

  /** Bytes of the partition that has grown longest. */
  public long largestPartitionBytes() {
    synchronized (lock) {
      return content.largestPartitionBytes();
    }
  }

  public int partitionCount() {
    synchronized (lock) {
      return content.partitionCount();
    }
  }

  /** The partitions that have a block, ascending. */
  public int[] partitions() {
    synchronized (lock) {
      return content.sorted().stream().mapToInt(partition -> partition.index).toArray();
    }
  }

  /** The runs at this moment, in the order of their blocks. */
  public List<LoggedRun> runs() {
    synchronized (lock) {
      return runs.snapshot();
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
        PartitionLog partition = content.find(index);
        if (partition == null) {
          found.add(null);
          continue;
        }
        RoaringBitmap complete = partition.attempts().complete();
        Integer set = sets.get(complete);
        if (set == null) {
          set = distinct.size();
          sets.put(complete, set);
          distinct.add(complete.clone());
        }
        found.add(
            new OpenSnapshot.Partition(
                partition.length(),
                partition.lost(),
                set,
                withMarks ? partition.marks.snapshot() : SliceMarkSnapshot.EMPTY));
      }
      return new OpenSnapshot(found, distinct, content.attempts.byOrdinal());
    }
  }

  /** Bytes of a partition, from logical offset 0. */
  public long partitionLength(int partition) {
    synchronized (lock) {
      PartitionLog found = content.find(partition);
      return found == null ? 0 : found.length();
    }
  }

  /** Where what a partition has in files lies, by ascending offset. */
  public List<LocatedExtent> located(int partition) {
    synchronized (lock) {
      PartitionLog found = content.find(partition);
      return found == null ? List.of() : found.located();
    }
  }

  /** Runs that pass a test, each with a reference for the caller to release. */
  public List<StoredRun> retainRuns(Predicate<StoredRun> wanted) {
    List<StoredRun> found = new ArrayList<>();
    synchronized (lock) {
      for (StoredRun run : runs.runs()) {
        if (wanted.test(run)) {
          run.retain();
          found.add(run);
        }
      }
    }
    return found;
  }

  /**
   * Finds the bytes of some ranges; neighbours in the same place become one piece.
   *
   * @return owned pieces, in the order of the ranges
   * @throws SluiceException OUT_OF_RANGE, NEVER_WRITTEN, EXPIRED, LOST
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
      LoggedFrame frame = frames.oldestBuffered();
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
   * @param order as the run's header says
   * @param fileOffsets where each of the batch's parts begins in the file
   */
  public void completeSpill(SpillBatch batch, StoredRun run, RunOrder order, long[] fileOffsets) {
    List<SpillBatch.Part> parts = batch.parts();
    boolean registered;
    synchronized (lock) {
      registered = state == State.LIVE;
      if (registered) {
        RunTable.Entry entry =
            new RunTable.Entry(run, order, batch.firstArrival(), batch.lastArrival());
        entry.bytes = batch.length();
        entry.extents = parts.size();
        runs.add(entry);
      }
    }
    boolean live = registered;
    for (int from = 0; live && from < parts.size(); from += PARTITIONS_AT_ONCE) {
      int to = Math.min(parts.size(), from + PARTITIONS_AT_ONCE);
      synchronized (lock) {
        live = state == State.LIVE;
        for (int i = from; live && i < to; i++) {
          SpillBatch.Part part = parts.get(i);
          moveTo(run, fileOffsets[i], part.partition(), part.start(), part.length());
        }
      }
    }
    List<ByteBuf> gone = new ArrayList<>();
    synchronized (lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          frames.unlink(frame);
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
          addBuffered(frame);
        }
      }
      totals.endSpilling(batch.heldBytes());
    }
    batch.releaseBodies();
  }

  /**
   * Takes runs to be merged into one; nothing changes for readers until that is complete.
   *
   * @param neighbours at least two, in order, from {@link #runs}: each but the first follows the
   *     one before
   * @return null if that is not, or no longer, so, or one of them is being merged; else to be ended
   *     by {@link #completeMerge} or {@link #abortMerge}
   */
  public MergeBatch takeForMerge(List<StoredRun> neighbours) {
    if (neighbours.size() < 2) {
      throw new IllegalArgumentException("a merge of " + neighbours.size() + " runs");
    }
    MergeBatch.Builder batch;
    List<PartitionLog> partitions;
    synchronized (lock) {
      List<RunTable.Entry> entries = runs.neighbours(neighbours);
      if (entries == null || entries.stream().anyMatch(entry -> entry.merging)) {
        return null;
      }
      for (RunTable.Entry entry : entries) {
        entry.merging = true;
        entry.run.retain();
      }
      batch = new MergeBatch.Builder(this, neighbours, entries.get(0).order);
      partitions = content.sorted();
    }
    for (int from = 0; from < partitions.size(); from += PARTITIONS_AT_ONCE) {
      int to = Math.min(partitions.size(), from + PARTITIONS_AT_ONCE);
      synchronized (lock) {
        for (PartitionLog partition : partitions.subList(from, to)) {
          partition.collect(batch);
        }
      }
    }
    return batch.build();
  }

  /**
   * The merged run has been written: it takes the place of the inputs, which are discarded. If the
   * shuffle has been forgotten, or an input has been lost, the merged run is discarded instead.
   *
   * @param batch takes
   * @param merged takes
   * @param fileOffsets where each of the batch's parts begins in the merged file
   * @return whether the merged run took their place
   */
  public boolean completeMerge(MergeBatch batch, StoredRun merged, long[] fileOffsets) {
    boolean taken;
    synchronized (lock) {
      List<RunTable.Entry> inputs = state == State.LIVE ? runs.neighbours(batch.inputs()) : null;
      taken = inputs != null;
      if (taken) {
        RunTable.Entry entry =
            new RunTable.Entry(
                merged,
                batch.order(),
                inputs.get(0).firstArrival,
                inputs.get(inputs.size() - 1).lastArrival);
        entry.bytes = batch.bytes();
        entry.extents = batch.partCount();
        runs.removeAll(batch.inputs());
        runs.add(entry);
      }
    }
    if (!taken) {
      abortMerge(batch);
      merged.discard();
      return false;
    }
    boolean live = true;
    for (int from = 0; live && from < batch.partCount(); from += PARTITIONS_AT_ONCE) {
      int to = Math.min(batch.partCount(), from + PARTITIONS_AT_ONCE);
      synchronized (lock) {
        live = state == State.LIVE;
        for (int i = from; live && i < to; i++) {
          moveTo(
              merged, fileOffsets[i], batch.partition(i), batch.logicalStart(i), batch.length(i));
        }
      }
    }
    batch.inputs().forEach(StoredRun::discard);
    batch.releaseInputs();
    return true;
  }

  /**
   * The runs could not be merged: they are as before.
   *
   * @param batch takes
   */
  public void abortMerge(MergeBatch batch) {
    synchronized (lock) {
      for (StoredRun input : batch.inputs()) {
        RunTable.Entry entry = runs.find(input);
        if (entry != null) {
          entry.merging = false;
        }
      }
    }
    batch.releaseInputs();
  }

  /**
   * Begins to take in a run that an earlier life of the server wrote. Runs are restored one after
   * the other in their order, before anything is appended.
   *
   * @param run takes
   */
  public void restoreRun(StoredRun run, RunOrder order) {
    synchronized (lock) {
      long arrival = frames.takeArrival();
      runs.add(new RunTable.Entry(run, order, arrival, arrival));
      state = State.LIVE;
    }
  }

  /**
   * Takes in what the run that was restored last holds of one partition. Its logical offset is
   * where the partition ends by now, whatever it was in the earlier life.
   *
   * @param blocks as the run lists them
   */
  public void restoreExtent(StoredRun run, RunExtent extent, List<RunBlock> blocks) {
    List<OpenWait> ended = new ArrayList<>();
    synchronized (lock) {
      RunTable.Entry entry = runs.find(run);
      if (entry == null) {
        return;
      }
      PartitionLog partition = content.findOrAdd(extent.partition());
      partition
          .extents()
          .append(new Extent.InFile(run, extent.fileOffset(), extent.length(), partition.length()));
      content.addPlaces(1);
      for (RunBlock block : blocks) {
        content.mark(partition, block.mapIndex(), block.length(), config.markBytes());
        accept(partition, block, ended);
      }
      entry.bytes += extent.length();
      entry.extents++;
      content.addStored(extent.length());
      content.grown(partition.length());
      if (partition.length() > config.hugePartitionBytes()) {
        becomeHuge();
      }
    }
    ended.forEach(OpenWait::run);
  }

  /**
   * Some runs are gone with their disk. Reads of what they held are answered LOST from now on, and
   * no attempt is complete any more in a partition that had blocks there, until {@link #recount}
   * has been told of what the remaining runs hold; blocks in memory are counted again here.
   *
   * @return partitions of which something is gone, ascending; empty if none of the runs is here
   */
  public List<Integer> lose(Set<StoredRun> gone) {
    List<OpenWait> ended = new ArrayList<>();
    List<Integer> affected = new ArrayList<>();
    synchronized (lock) {
      if (state != State.LIVE) {
        return List.of();
      }
      for (PartitionLog partition : content.sorted()) {
        if (loseIn(partition, gone, ended)) {
          affected.add(partition.index);
        }
      }
      runs.removeAll(gone);
      if (!affected.isEmpty()) {
        totals.lostBlocks();
      }
    }
    gone.forEach(StoredRun::discard);
    ended.forEach(OpenWait::run);
    return affected;
  }

  /**
   * Counts blocks of a partition, which a run that is still here holds, after {@link #lose}. Blocks
   * that are counted already are ignored.
   *
   * @return false if the run is not here any more: its blocks are lost, or in a run that it was
   *     merged into
   */
  public boolean recount(StoredRun run, int partition, List<RunBlock> blocks) {
    List<OpenWait> ended = new ArrayList<>();
    synchronized (lock) {
      if (state != State.LIVE || runs.find(run) == null) {
        return false;
      }
      PartitionLog found = content.find(partition);
      if (found != null) {
        for (RunBlock block : blocks) {
          accept(found, block, ended);
        }
      }
    }
    ended.forEach(OpenWait::run);
    return true;
  }

  /**
   * Begins a wait.
   *
   * @return false if there is nothing to wait for: it is satisfied already, or the shuffle expired
   */
  public boolean addWait(OpenWait wait) {
    synchronized (lock) {
      if (state == State.EXPIRED || state == State.UNUSED) {
        return false;
      }
      long[] known = content.attempts.byOrdinal();
      for (int ordinal = 0; ordinal < content.attempts.count(); ordinal++) {
        wait.sawAttempt(known[ordinal], ordinal);
      }
      RoaringBitmap none = new RoaringBitmap();
      for (int i = 0; i < wait.partitions.length; i++) {
        PartitionLog partition = content.find(wait.partitions[i]);
        wait.begin(i, partition == null ? none : partition.attempts().complete());
      }
      if (wait.isSatisfied()) {
        return false;
      }
      content.waits.add(wait);
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
      return content.waits.end(wait);
    }
  }

  /** Forgets everything. Memory is given back at once, runs when their readers are done. */
  public void expire() {
    end().forEach(StoredRun::discard);
  }

  /** As {@link #expire}, but the runs stay, for the next life of the server. */
  public void close() {
    end();
  }

  /** Gives memory back and ends waits; returns the runs that it had. */
  private List<StoredRun> end() {
    List<ByteBuf> bodies;
    List<StoredRun> released;
    List<OpenWait> ended;
    synchronized (lock) {
      if (state == State.EXPIRED) {
        return List.of();
      }
      state = State.EXPIRED;
      bodies = frames.clear();
      totals.addBuffered(-bufferedBytes, -bufferedExtents);
      bufferedBytes = 0;
      bufferedExtents = 0;
      content.clear();
      released = runs.runs();
      runs.clear();
      if (huge) {
        totals.removeHuge(this);
      }
      ended = content.waits.endAll();
    }
    bodies.forEach(ByteBuf::release);
    ended.forEach(OpenWait::run);
    return released;
  }

  private void checkCanAppend(BlockBatch batch) throws SluiceException {
    if (state == State.EXPIRED) {
      throw expired();
    }
    if (state == State.UNUSED) {
      throw new SluiceException(StatusCode.BUSY, key + ": the shuffle is being set up, try again");
    }
    int attempts = content.attempts.count();
    if (attempts > config.maxAttempts() - batch.count()
        && countNewAttempts(batch) > config.maxAttempts() - attempts) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          key + ": more than " + config.maxAttempts() + " map attempts in one shuffle");
    }
    if (totals.isMetadataSpent()) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          key
              + ": the server has no heap for more partitions, attempts or runs: "
              + totals.metadataBytes()
              + " bytes are taken by those it has");
    }
    long room = Math.min(config.maxPartitions() - content.partitionCount(), totals.partitionRoom());
    if (batch.count() > room && countNewPartitions(batch) > room) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          key
              + ": the server has no room for more partitions, this shuffle has "
              + content.partitionCount()
              + ", all have "
              + totals.partitions());
    }
  }

  private int countNewAttempts(BlockBatch batch) {
    Set<Long> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (content.attempts.find(batch.attempt(i)) < 0) {
        unknown.add(batch.attempt(i));
      }
    }
    return unknown.size();
  }

  private int countNewPartitions(BlockBatch batch) {
    Set<Integer> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (content.find(batch.partition(i)) == null) {
        unknown.add(batch.partition(i));
      }
    }
    return unknown.size();
  }

  private void becomeHuge() {
    if (!huge) {
      huge = true;
      totals.addHuge(this);
    }
  }

  private void addBuffered(LoggedFrame frame) {
    bufferedBytes += frame.heldBytes;
    bufferedExtents += frame.extents.length;
    totals.addBuffered(frame.heldBytes, frame.extents.length);
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
    if (state == State.UNWRITTEN || state == State.UNUSED) {
      throw new SluiceException(StatusCode.NEVER_WRITTEN, key + ": no block was ever written here");
    }
  }

  private void read(LogRange range, PieceList pieces) throws SluiceException {
    PartitionLog partition = content.find(range.partition());
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
    for (int at = partition.extents().find(offset); offset < end; at++) {
      Extent extent = partition.extents().get(at);
      if (extent instanceof Extent.Lost) {
        throw new SluiceException(
            StatusCode.LOST,
            key
                + " partition="
                + range.partition()
                + ": the "
                + extent.length
                + " bytes from "
                + extent.start
                + " were on a disk that is gone");
      }
      long skip = offset - extent.start;
      int take = (int) Math.min(extent.length - skip, end - offset);
      pieces.add(extent, skip, take);
      offset += take;
    }
  }

  private void moveTo(StoredRun run, long fileOffset, int index, long start, long length) {
    PartitionLog partition = content.find(index);
    content.addPlaces(
        partition.extents().replace(new Extent.InFile(run, fileOffset, length, start)));
    if (runs.find(run) == null) {
      // Its disk was lost since it was added. Whoever waits in vain does so for a bounded time.
      loseIn(partition, Set.of(run), new ArrayList<>());
    }
  }

  private boolean loseIn(PartitionLog partition, Set<StoredRun> gone, List<OpenWait> ended) {
    long attemptBytes = partition.attempts().metadataBytes();
    if (!partition.lose(gone)) {
      return false;
    }
    content.forgotAttempts(attemptBytes);
    for (int i = 0; i < partition.extents().count(); i++) {
      if (partition.extents().isInMemory(i)) {
        countInMemory(partition, (Extent.InMemory) partition.extents().get(i), ended);
      }
    }
    return true;
  }

  private void countInMemory(PartitionLog partition, Extent.InMemory extent, List<OpenWait> ended) {
    ByteBuf bytes = extent.bytes();
    int end = bytes.writerIndex();
    for (int at = 0; at < end; ) {
      BlockHeader block;
      try {
        block = BlockHeader.read(bytes, at, end);
      } catch (BlockFormatException e) {
        throw new IllegalStateException("a block was verified when it came", e);
      }
      content.accept(partition, block.mapAttempt(), block.sequence(), block.isLast(), ended);
      at += block.blockLength();
    }
  }

  private void accept(PartitionLog partition, RunBlock block, List<OpenWait> ended) {
    boolean last = (block.flags() & BlockHeader.FLAG_LAST) != 0;
    content.accept(partition, block.mapAttempt(), block.sequence(), last, ended);
  }
}
