package io.sluice.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.roaringbitmap.RoaringBitmap;

/**
 * Log of one shuffle: all accepted blocks and their locations.
 *
 * <p>A frame's body stays in memory as a whole while any of its blocks is in memory. The adjacent
 * blocks of one partition in a frame are one extent, independent of their number. Frames are
 * spilled whole and in the order of arrival ({@code docs/decisions/0001-spill-whole-frames.md}). So
 * a run has exactly one extent of each partition, a spill frees whole slabs, and consecutive runs
 * can be merged without changing logical offsets.
 *
 * <p>States: {@code UNWRITTEN -> LIVE -> EXPIRED}, or {@code UNWRITTEN -> EXPIRED}, or {@code
 * UNWRITTEN -> UNUSED}. {@code EXPIRED} and {@code UNUSED} are terminal; they refuse appends.
 *
 * <p>Thread-safe with one lock, which is held for microseconds. Buffers are released and waiters
 * called without the lock.
 */
public final class ShuffleLog {
  private final ShuffleKey key;
  private final LogConfig config;
  private final LogTotals totals;
  private final LogState logState;
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
    this.logState = new LogState(key, totals);
    this.lock = logState.lock;
    this.limits = new LogLimits(logState, config, totals);
    this.reads = new LogReads(logState);
    this.losses = new LogLosses(logState, totals);
    this.spills = new LogSpills(logState, totals, losses);
    this.merges = new LogMerges(logState, losses);
  }

  public ShuffleKey key() {
    return key;
  }

  /**
   * Appends the new blocks of a frame.
   *
   * @param body verified, with exactly the blocks of {@code batch}; this method takes ownership
   * @param reservedBytes bytes of the memory budget that are reserved for the body
   * @throws SluiceException EXPIRED, NO_SPACE or BUSY; no block was appended then
   */
  public AppendResult append(ByteBuf body, long reservedBytes, BlockBatch batch)
      throws SluiceException {
    List<OpenWait> ended = new ArrayList<>();
    AppendResult result;
    boolean kept = false;
    try {
      synchronized (lock) {
        limits.check(batch);
        FrameAppender appender =
            new FrameAppender(
                logState, config, body, reservedBytes, logState.frames.nextArrival(), batch, ended);
        result = appender.run();
        if (batch.count() > 0) {
          logState.state = LogState.State.LIVE;
        }
        LoggedFrame frame = appender.kept();
        if (frame != null) {
          logState.frames.link(frame);
          logState.addStored(result.keptBytes());
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
   * Ends a log without blocks and without waits.
   *
   * @return whether the log ended
   */
  boolean endIfUnused() {
    synchronized (lock) {
      if (logState.state != LogState.State.UNWRITTEN || !logState.waits.isEmpty()) {
        return false;
      }
      logState.state = LogState.State.UNUSED;
      return true;
    }
  }

  /** Whether any block was ever appended. */
  public boolean isWritten() {
    synchronized (lock) {
      return logState.state == LogState.State.LIVE;
    }
  }

  /** Bytes of the memory budget in frames that no spill has taken yet. */
  public long bufferedBytes() {
    return spills.bufferedBytes();
  }

  /** Bytes of blocks of the first frame of the next spill; 0 if there is none. */
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
      return logState.storedBytes();
    }
  }

  /** Bytes of the longest partition. */
  public long largestPartitionBytes() {
    synchronized (lock) {
      return logState.largestPartitionBytes();
    }
  }

  public int partitionCount() {
    synchronized (lock) {
      return logState.partitionCount();
    }
  }

  /** Partitions with blocks, ascending. */
  public int[] partitions() {
    synchronized (lock) {
      return logState.sorted().stream().mapToInt(partition -> partition.index).toArray();
    }
  }

  /** Snapshot of the runs, in the order of their blocks. */
  public List<LoggedRun> runs() {
    synchronized (lock) {
      return logState.runs.snapshot();
    }
  }

  /** Snapshot of some partitions, or null if no block was ever appended. */
  public OpenSnapshot snapshot(int[] wanted, boolean withMarks) {
    return reads.snapshot(wanted, withMarks);
  }

  /** Bytes of a partition, from logical offset 0. */
  public long partitionLength(int partition) {
    synchronized (lock) {
      PartitionLog found = logState.find(partition);
      return found == null ? 0 : found.length();
    }
  }

  /** Extents of a partition in files, by ascending offset. */
  public List<LocatedExtent> located(int partition) {
    synchronized (lock) {
      PartitionLog found = logState.find(partition);
      return found == null ? List.of() : found.located();
    }
  }

  /** Runs that match a predicate, each with a reference that the caller releases. */
  public List<StoredRun> retainRuns(Predicate<StoredRun> wanted) {
    List<StoredRun> found = new ArrayList<>();
    synchronized (lock) {
      for (StoredRun run : logState.runs.runs()) {
        if (wanted.test(run)) {
          run.retain();
          found.add(run);
        }
      }
    }
    return found;
  }

  /**
   * Locates the bytes of some ranges; adjacent bytes of one frame or file become one piece.
   *
   * @return pieces in the order of the ranges, owned by the caller
   * @throws SluiceException OUT_OF_RANGE, NEVER_WRITTEN, EXPIRED, LOST
   */
  public List<LogPiece> read(List<LogRange> ranges) throws SluiceException {
    return reads.read(ranges);
  }

  /**
   * Takes the oldest frames that no spill has taken, at least one, to write them as one run.
   *
   * @param maxBytes maximum bytes of blocks, unless a single frame is larger
   * @return null if there are no frames; otherwise the caller must call {@link #completeSpill} or
   *     {@link #abortSpill}
   */
  public SpillBatch takeForSpill(long maxBytes) {
    return spills.take(this, maxBytes);
  }

  /**
   * Completes a spill: the log references the run's bytes, and the memory of the batch is released
   * when no reader uses it.
   *
   * @param run this method takes ownership; the log discards the run when the shuffle expires
   * @param order order from the run's header
   * @param fileOffsets offset of each part of the batch in the file
   */
  public void completeSpill(SpillBatch batch, StoredRun run, RunOrder order, long[] fileOffsets) {
    spills.complete(batch, run, order, fileOffsets);
  }

  /** Aborts a spill that failed: its frames stay in memory and the next spill takes them. */
  public void abortSpill(SpillBatch batch) {
    spills.abort(batch);
  }

  /**
   * Takes runs to merge. Readers see no change until the merge is complete.
   *
   * @param neighbours at least two consecutive runs from {@link #runs}, in order
   * @return null if the runs are not consecutive or one of them is missing, being merged or
   *     damaged; otherwise the caller must call {@link #completeMerge} or {@link #abortMerge}
   */
  public MergeBatch takeForMerge(List<StoredRun> neighbours) {
    return merges.take(this, neighbours);
  }

  /**
   * Completes a merge: the merged run replaces the inputs, which are discarded. If the shuffle was
   * removed or an input was lost or damaged, the merged run is discarded instead.
   *
   * @param batch this method takes ownership
   * @param merged this method takes ownership
   * @param fileOffsets offset of each part of the batch in the merged file
   * @return whether the merged run replaced the inputs
   */
  public boolean completeMerge(MergeBatch batch, StoredRun merged, long[] fileOffsets) {
    return merges.complete(batch, merged, fileOffsets);
  }

  /**
   * Aborts a merge that failed: the inputs stay as they are.
   *
   * @param batch this method takes ownership
   */
  public void abortMerge(MergeBatch batch) {
    merges.abort(batch);
  }

  /**
   * Restores a run of an earlier epoch, without its extents. Runs are restored in their order,
   * before the first append.
   *
   * @param run this method takes ownership
   */
  public void restoreRun(StoredRun run, RunOrder order) {
    synchronized (lock) {
      long arrival = logState.frames.takeArrival();
      logState.runs.add(new RunTable.Entry(run, order, arrival, arrival));
      logState.state = LogState.State.LIVE;
    }
  }

  /**
   * Restores one extent of the run that was restored last. Its logical offset is the current end of
   * the partition, which may differ from the offset in the earlier epoch.
   *
   * @param blocks blocks of the extent, from the run's footer; those that were found damaged
   *     earlier ({@link StoredRun#isDamagedAt}) are lost
   */
  public void restoreExtent(StoredRun run, RunExtent extent, List<RunBlock> blocks) {
    addExtent(run, extent, blocks, false);
  }

  /**
   * Adds a run of a lost server while this server accepts blocks, without its extents. The caller
   * then adds them with {@link #adoptExtent}.
   *
   * @param run this method takes ownership if it returns true
   * @return false if the shuffle was removed
   */
  public boolean adoptRun(StoredRun run, RunOrder order) {
    synchronized (lock) {
      if (logState.state == LogState.State.EXPIRED || logState.state == LogState.State.UNUSED) {
        return false;
      }
      // Neither the run before it nor the frames after it are its neighbours: its extents come
      // later.
      logState.frames.takeArrival();
      restoreRun(run, order);
      logState.frames.takeArrival();
      return true;
    }
  }

  /**
   * Adds one extent of an adopted run at the current end of its partition. Does nothing if the run
   * was removed or lost meanwhile.
   *
   * @param blocks blocks of the extent, from the run's footer; those that the server already has
   *     are stored twice
   */
  public void adoptExtent(StoredRun run, RunExtent extent, List<RunBlock> blocks) {
    addExtent(run, extent, blocks, true);
  }

  /**
   * @param separates whether the extent gets an arrival number of its own, so that no spill and no
   *     merge has frames from before and from after it: their extents are not consecutive
   */
  private void addExtent(
      StoredRun run, RunExtent extent, List<RunBlock> blocks, boolean separates) {
    List<OpenWait> ended = new ArrayList<>();
    synchronized (lock) {
      RunTable.Entry entry = logState.runs.find(run);
      if (entry == null) {
        return;
      }
      if (separates) {
        logState.frames.takeArrival();
      }
      PartitionLog partition = logState.findOrAdd(extent.partition());
      int before = partition.extents().count();
      partition
          .extents()
          .append(new Extent.InFile(run, extent.fileOffset(), extent.length(), partition.length()));
      long at = extent.fileOffset();
      for (RunBlock block : blocks) {
        logState.mark(partition, block.mapIndex(), block.length(), config.markBytes());
        if (run.isDamagedAt(at)) {
          partition.extents().lose(run, at, block.length());
          entry.damaged = true;
        } else {
          logState.accept(partition, block, ended);
        }
        at += block.length();
      }
      logState.addExtents(partition.extents().count() - before);
      entry.bytes += extent.length();
      entry.extents++;
      logState.addStored(extent.length());
      logState.grown(partition.length());
      if (partition.length() > config.hugePartitionBytes()) {
        becomeHuge();
      }
    }
    ended.forEach(OpenWait::run);
  }

  /**
   * Marks the data of some runs as lost. Reads of it fail with LOST from now on. In each affected
   * partition, the complete attempts are reset and the blocks in memory recounted; the caller then
   * calls {@link #recount} for the blocks of the remaining runs.
   *
   * @return partitions with lost bytes, ascending; empty if the log has none of the runs
   */
  public List<Integer> lose(Set<StoredRun> lost) {
    return losses.lose(lost);
  }

  /**
   * Marks damaged blocks of a run as lost. The run stays, and is not merged any longer. Attempts of
   * these blocks are incomplete in their partitions; their blocks in memory are recounted, and the
   * caller then calls {@link #recount} for the blocks of all runs that are not damaged. Other
   * attempts are not affected.
   *
   * @return the blocks that were not lost before; empty if the log does not have the run
   */
  public List<DamagedBlock> loseBlocks(StoredRun run, List<DamagedBlock> blocks) {
    return losses.loseBlocks(run, blocks);
  }

  /**
   * Counts blocks of a partition in a remaining run, after {@link #lose}. Blocks that were counted
   * before are ignored.
   *
   * @return false if the log no longer has the run, because it was lost or merged
   */
  public boolean recount(StoredRun run, int partition, List<RunBlock> blocks) {
    return losses.recount(run, partition, blocks);
  }

  /**
   * Begins a wait.
   *
   * @return false if the wait is already satisfied or the shuffle expired
   */
  public boolean addWait(OpenWait wait) {
    synchronized (lock) {
      if (logState.state == LogState.State.EXPIRED || logState.state == LogState.State.UNUSED) {
        return false;
      }
      long[] known = logState.attempts.byOrdinal();
      for (int ordinal = 0; ordinal < logState.attempts.count(); ordinal++) {
        wait.sawAttempt(known[ordinal], ordinal);
      }
      RoaringBitmap none = new RoaringBitmap();
      for (int i = 0; i < wait.partitions.length; i++) {
        PartitionLog partition = logState.find(wait.partitions[i]);
        wait.begin(i, partition == null ? none : partition.attempts().complete());
      }
      if (wait.isSatisfied()) {
        return false;
      }
      logState.waits.add(wait);
      return true;
    }
  }

  /**
   * Ends a wait that timed out.
   *
   * @return false if the wait had already ended
   */
  public boolean cancelWait(OpenWait wait) {
    synchronized (lock) {
      return logState.waits.end(wait);
    }
  }

  /**
   * Removes all data of the shuffle. Memory is released immediately, runs when their readers are
   * done.
   */
  public void expire() {
    end().forEach(StoredRun::discard);
  }

  /** Releases memory and ends waits. The runs stay on disk for the next start of the server. */
  public void close() {
    end();
  }

  /** Releases memory and ends waits; returns the runs of the log. */
  private List<StoredRun> end() {
    List<ByteBuf> bodies;
    List<StoredRun> released;
    List<OpenWait> ended;
    synchronized (lock) {
      if (logState.state == LogState.State.EXPIRED) {
        return List.of();
      }
      logState.state = LogState.State.EXPIRED;
      bodies = spills.clear();
      logState.clear();
      released = logState.runs.runs();
      logState.runs.clear();
      if (huge) {
        totals.removeHuge(this);
      }
      ended = logState.waits.endAll();
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
