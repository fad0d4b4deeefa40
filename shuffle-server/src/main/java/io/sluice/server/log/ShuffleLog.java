package io.sluice.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.List;
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
  private final ShuffleKey key;
  private final LogConfig config;
  private final LogTotals totals;
  private final LogState content;
  private final Object lock;
  private final LogLimits limits;
  private final LogReads reads;
  private final LogLosses losses;
  private final LogSpills spills;
  private final LogMerges merges;

  @GuardedBy("lock")
  private boolean huge;

  public ShuffleLog(ShuffleKey key, LogConfig config, LogTotals totals) {
    this.key = key;
    this.config = config;
    this.totals = totals;
    this.content = new LogState(key, totals);
    this.lock = content.lock;
    this.limits = new LogLimits(content, config, totals);
    this.reads = new LogReads(content);
    this.losses = new LogLosses(content, totals);
    this.spills = new LogSpills(content, totals, losses);
    this.merges = new LogMerges(content, losses);
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
        limits.check(batch);
        FrameAppender appender =
            new FrameAppender(
                content, config, body, heldBytes, content.frames.nextArrival(), batch, ended);
        result = appender.run();
        if (batch.count() > 0) {
          content.state = LogState.State.LIVE;
        }
        LoggedFrame frame = appender.kept();
        if (frame != null) {
          content.frames.link(frame);
          content.addStored(result.keptBytes());
          spills.addBuffered(frame);
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
      if (content.state != LogState.State.UNWRITTEN || !content.waits.isEmpty()) {
        return false;
      }
      content.state = LogState.State.UNUSED;
      return true;
    }
  }

  /** Whether any block was ever appended. */
  public boolean isWritten() {
    synchronized (lock) {
      return content.state == LogState.State.LIVE;
    }
  }

  /** Bytes of the memory budget held by frames that no spill has taken yet. */
  public long bufferedBytes() {
    return spills.bufferedBytes();
  }

  /** Bytes of blocks of the frame that the next spill would begin with; 0 when there is none. */
  public int nextSpillBytes() {
    return spills.nextBytes();
  }

  /** Extents in memory that no spill has taken yet. */
  public int bufferedExtents() {
    return spills.bufferedExtents();
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
      return content.runs.snapshot();
    }
  }

  /** What there is of some partitions, or null if no block was ever appended. */
  public OpenSnapshot snapshot(int[] wanted, boolean withMarks) {
    return reads.snapshot(wanted, withMarks);
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
      for (StoredRun run : content.runs.runs()) {
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
    return reads.read(ranges);
  }

  /**
   * Takes the oldest frames that no spill has taken, at least one, to be written as one run.
   *
   * @param maxBytes most bytes of blocks, but for a single larger frame
   * @return null when there is none; else to be ended by {@link #completeSpill} or {@link
   *     #abortSpill}
   */
  public SpillBatch takeForSpill(long maxBytes) {
    return spills.take(this, maxBytes);
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
    spills.complete(batch, run, order, fileOffsets);
  }

  /** The batch could not be written: its frames are as before and will be taken again. */
  public void abortSpill(SpillBatch batch) {
    spills.abort(batch);
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
    return merges.take(this, neighbours);
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
    return merges.complete(batch, merged, fileOffsets);
  }

  /**
   * The runs could not be merged: they are as before.
   *
   * @param batch takes
   */
  public void abortMerge(MergeBatch batch) {
    merges.abort(batch);
  }

  /**
   * Begins to take in a run that an earlier life of the server wrote. Runs are restored one after
   * the other in their order, before anything is appended.
   *
   * @param run takes
   */
  public void restoreRun(StoredRun run, RunOrder order) {
    synchronized (lock) {
      long arrival = content.frames.takeArrival();
      content.runs.add(new RunTable.Entry(run, order, arrival, arrival));
      content.state = LogState.State.LIVE;
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
      RunTable.Entry entry = content.runs.find(run);
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
        content.accept(partition, block, ended);
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
    return losses.lose(gone);
  }

  /**
   * Counts blocks of a partition, which a run that is still here holds, after {@link #lose}. Blocks
   * that are counted already are ignored.
   *
   * @return false if the run is not here any more: its blocks are lost, or in a run that it was
   *     merged into
   */
  public boolean recount(StoredRun run, int partition, List<RunBlock> blocks) {
    return losses.recount(run, partition, blocks);
  }

  /**
   * Begins a wait.
   *
   * @return false if there is nothing to wait for: it is satisfied already, or the shuffle expired
   */
  public boolean addWait(OpenWait wait) {
    synchronized (lock) {
      if (content.state == LogState.State.EXPIRED || content.state == LogState.State.UNUSED) {
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
      if (content.state == LogState.State.EXPIRED) {
        return List.of();
      }
      content.state = LogState.State.EXPIRED;
      bodies = spills.clear();
      content.clear();
      released = content.runs.runs();
      content.runs.clear();
      if (huge) {
        totals.removeHuge(this);
      }
      ended = content.waits.endAll();
    }
    bodies.forEach(ByteBuf::release);
    ended.forEach(OpenWait::run);
    return released;
  }

  @GuardedBy("lock")
  private void becomeHuge() {
    if (!huge) {
      huge = true;
      totals.addHuge(this);
    }
  }
}
