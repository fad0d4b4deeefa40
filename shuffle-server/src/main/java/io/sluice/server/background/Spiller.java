package io.sluice.server.background;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskPlacement;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps memory below its high watermark: one thread plans and assigns batches to one writer thread
 * per disk. The planner runs when it is signalled, when a write ends, and every {@value #TICK_MS}
 * ms for timed events: disks that recover, and expired memory grants.
 *
 * <p>Thread-safe.
 */
public final class Spiller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Spiller.class);

  private static final long TICK_MS = 100;

  /** Extra bytes for header, trailer and index entries. */
  private static final long FILE_MARGIN_BYTES = 16 << 10;

  /** Time for runs in progress at {@link #close}; a clean stop has flushed all runs before. */
  private static final long STOP_WAIT_MS = 2_000;

  private final ShuffleStore store;
  private final MemoryBudget memory;
  private final Disks disks;
  private final SpillPolicy policy;
  private final HugeSpills huge;
  private final SpillWriter writer;
  private final LongSupplier nanoTime;
  private final DiskThread planner = new DiskThread("spill-planner", TICK_MS, this::plan);
  private final List<Target> targets = new ArrayList<>();
  // Used by the planner only.
  private final SpillOrder<ShuffleLog> order =
      new SpillOrder<>(log -> log.key().application(), ShuffleLog::bufferedBytes);
  private final DiskPlacement<Target> placement = new DiskPlacement<>();
  private final Object lock = new Object();

  /** Number of waiting flush calls. */
  @GuardedBy("lock")
  private int flushes;

  private boolean writeFailed;
  private boolean stopped;

  private volatile boolean canStore = true;

  public Spiller(
      ShuffleStore store,
      MemoryBudget memory,
      Disks disks,
      SpillPolicy policy,
      SpillWriter writer,
      LongSupplier nanoTime) {
    this.store = store;
    this.memory = memory;
    this.disks = disks;
    this.policy = policy;
    this.huge = new HugeSpills(store, memory, policy.config());
    this.writer = writer;
    this.nanoTime = nanoTime;
    for (Disk disk : disks.list()) {
      targets.add(new Target(disk, targets.size()));
    }
  }

  /** Starts the threads, and listens to the memory budget. */
  public void start() {
    planner.start();
    targets.forEach(target -> target.thread.start());
    memory.onPressure(this::signal);
  }

  /** Requests a plan, because memory was reserved or blocks can be spilled. Cheap. */
  public void signal() {
    planner.signal();
  }

  /** False while no disk accepts data, so that memory cannot be freed. */
  public boolean canStore() {
    return canStore;
  }

  /** Whether a run is being written to the disk. */
  public boolean isWriting(Disk disk) {
    for (Target target : targets) {
      if (target.disk == disk && !target.isIdle()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Spills all blocks in memory.
   *
   * @return whether everything was written in time
   */
  public boolean flushAll(long timeoutMs) throws InterruptedException {
    return flush(0, timeoutMs);
  }

  /**
   * Spills blocks in memory, while more may arrive.
   *
   * @param leaveBytes bytes that may stay in memory, to avoid small runs
   * @return whether at most {@code leaveBytes} are left
   */
  public boolean flush(long leaveBytes, long timeoutMs) throws InterruptedException {
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    LogTotals totals = store.totals();
    synchronized (lock) {
      flushes++;
      signal();
      long left = deadline - nanoTime.getAsLong();
      try {
        while (!stopped && left > 0 && isMoreLeft(totals, leaveBytes)) {
          lock.wait(Math.min(TICK_MS, TimeUnit.NANOSECONDS.toMillis(left) + 1));
          left = deadline - nanoTime.getAsLong();
        }
      } finally {
        flushes--;
      }
    }
    return totals.bufferedBytes() + totals.spillingBytes() <= leaveBytes;
  }

  /**
   * Whether more than {@code leaveBytes} are in memory, or none may be left and a writer has not
   * released its bytes.
   */
  private boolean isMoreLeft(LogTotals totals, long leaveBytes) {
    return totals.bufferedBytes() + totals.spillingBytes() > leaveBytes
        || (leaveBytes == 0 && targets.stream().anyMatch(Target::isWriting));
  }

  /**
   * Stops the threads after the runs in progress are written. If a disk hangs, its blocks stay in
   * memory, and its thread is not waited for. Idempotent.
   */
  @Override
  public void close() {
    memory.onPressure(() -> {});
    synchronized (lock) {
      stopped = true;
      lock.notifyAll();
    }
    List<DiskThread> awaited = new ArrayList<>(List.of(planner));
    planner.stop();
    for (Target target : targets) {
      target.thread.stop();
      if (!target.isHung()) {
        awaited.add(target.thread);
      }
    }
    DiskThread.awaitEnd(awaited, STOP_WAIT_MS).forEach(DiskThread::interrupt);
    targets.forEach(Target::cancel);
  }

  /**
   * Plans once and writes the planned runs, on the calling thread: for one thread that drives the
   * spiller instead of {@link #start}.
   */
  public void spillNow() {
    plan();
    targets.forEach(target -> target.thread.runPending());
  }

  private void plan() {
    memory.expireGrants();
    memory.growArena();
    assignBatches();
  }

  private void assignBatches() {
    targets.forEach(Target::cancelOverdue);
    if (anyWriteFailed()) {
      policy.writeFailed();
    }
    boolean room = disks.anyHealthy();
    huge.limit();
    while (true) {
      long bytes = bytesToSpill();
      Set<String> due = huge.due();
      SpillOrder.Turn<ShuffleLog> turn =
          order.next(store.logs(), memory.allocatableBytes(), bytes > 0, due);
      if (turn == null) {
        break;
      }
      ShuffleLog log = turn.shuffle();
      long runBytes =
          due.contains(log.key().application()) ? huge.runBytes() : policy.runBytes(bytes);
      if (!assign(log, Math.min(runBytes, turn.maxRunBytes()))) {
        room = bytes == 0 ? room : willFree(fileBytes(log.nextSpillBytes()));
        break;
      }
    }
    setCanStore(room);
  }

  /** Assigns a run of a log to a disk; false if no disk is idle with enough free space. */
  private boolean assign(ShuffleLog log, long runBytes) {
    Target target = choose(fileBytes(log.nextSpillBytes()), log.bufferedBytes());
    if (target == null) {
      return false;
    }
    SpillBatch batch = log.takeForSpill(Math.min(runBytes, blockBytes(target.disk.freeBytes())));
    if (batch != null) {
      order.spilled(log.key().application(), batch.length());
      target.assign(new SpillTask(batch, target.disk.beginWrite(fileBytes(batch.length()))));
    }
    return true;
  }

  private boolean anyWriteFailed() {
    synchronized (lock) {
      boolean failed = writeFailed;
      writeFailed = false;
      return failed;
    }
  }

  private void setCanStore(boolean room) {
    if (room != canStore) {
      canStore = room;
      if (room) {
        LOG.info("spilling is possible again");
      } else {
        LOG.warn("no disk accepts data, pushes are refused while memory is full");
      }
    }
    if (!room) {
      // Fails the waiting requests for memory.
      memory.retryWaiters();
    }
  }

  /**
   * Maximum file length for a number of block bytes: the block list entry of an empty block is half
   * the size of the block.
   */
  private static long fileBytes(long blockBytes) {
    return blockBytes + blockBytes / 2 + FILE_MARGIN_BYTES;
  }

  private static long blockBytes(long fileBytes) {
    return Math.max(1, (fileBytes - FILE_MARGIN_BYTES) / 3 * 2);
  }

  /**
   * Whether memory will be freed: a disk has space for a run of {@code bytes}, or a run is being
   * written. The space reserved for a pending write exceeds its final length, so free space is
   * known only afterwards.
   */
  private boolean willFree(long bytes) {
    for (Target target : targets) {
      if (target.disk.isHealthy() && (target.disk.freeBytes() >= bytes || target.isWriting())) {
        return true;
      }
    }
    return false;
  }

  private long bytesToSpill() {
    LogTotals totals = store.totals();
    long wanted =
        policy.bytesToSpill(
            memory.pressure(),
            totals.bufferedBytes(),
            totals.spillingBytes(),
            totals.bufferedExtents());
    synchronized (lock) {
      return flushes > 0 ? Math.max(wanted, totals.bufferedBytes()) : wanted;
    }
  }

  /**
   * Chooses an idle disk for a run. A run waits for a busy faster disk unless memory is low. The
   * remote tier is used only while no local disk has free space.
   *
   * @param buffered bytes of the same shuffle in memory
   */
  private Target choose(long bytes, long buffered) {
    List<DiskPlacement.PlacementCandidate<Target>> candidates = new ArrayList<>();
    for (Target target : targets) {
      Disk disk = target.disk;
      if (disk.mayWrite(bytes)) {
        candidates.add(
            new DiskPlacement.PlacementCandidate<>(
                target,
                disk.kind(),
                Math.max(1, disk.freeBytes()),
                disk.queueDepth(),
                target.isIdle(),
                disk.isDoubtful()));
      }
    }
    boolean local =
        candidates.stream().anyMatch(candidate -> candidate.kind() != StorageKind.REMOTE);
    candidates.removeIf(
        candidate ->
            candidate.kind() == StorageKind.REMOTE
                && (local || isWorthWaiting(bytes, buffered, candidate.target().disk)));
    return placement.choose(candidates, bytes, memory.pressure().tight() || isFlushing());
  }

  /** Whether a run is too small for the remote tier, and a local disk will have free space. */
  private boolean isWorthWaiting(long bytes, long buffered, Disk remote) {
    return buffered < remote.storage().preferredMinBytes()
        && !isFlushing()
        && disks.list().stream()
            .anyMatch(
                disk ->
                    disk.kind() != StorageKind.REMOTE
                        // Or it has free space since the last check.
                        && (disk.isFull() || disk.mayWrite(bytes))
                        && disk.health().state().isWritten());
  }

  private boolean isFlushing() {
    synchronized (lock) {
      return flushes > 0;
    }
  }

  /** A disk and the thread that writes to it, one batch at a time. */
  private final class Target {
    private final Disk disk;
    private final DiskThread thread;

    @GuardedBy("lock")
    private SpillTask task;

    @GuardedBy("lock")
    private SpillTask cancelledTask;

    Target(Disk disk, int number) {
      this.disk = disk;
      this.thread = DiskThread.ofTasks("spill-disk-" + number);
    }

    boolean isIdle() {
      synchronized (lock) {
        return task == null && !stopped;
      }
    }

    void assign(SpillTask next) {
      boolean taken;
      synchronized (lock) {
        taken = !stopped;
        if (taken) {
          task = next;
          thread.execute(() -> write(next));
        }
      }
      if (!taken) {
        next.abort();
        next.releaseBodies();
        next.write().cancelled();
      }
    }

    /** Cancels a write that exceeded its timeout; the blocks are written to another disk. */
    void cancelOverdue() {
      long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(disk.health().config().writeTimeoutMs());
      SpillTask current = current();
      if (current != null && !current.isSettled() && current.write().isOverdue(timeoutNanos)) {
        disk.reportOverdueWrites();
        cancel();
      }
    }

    /** Cancels the write in progress, if any. */
    void cancel() {
      SpillTask current = current();
      if (current != null && !current.isSettled()) {
        LOG.warn(
            "write of a run timed out, its blocks stay in memory disk={} bytes={} afterMs={}",
            disk.name(),
            current.batch().length(),
            current.write().ageNanos() / 1_000_000);
        synchronized (lock) {
          writeFailed = true;
          cancelledTask = current;
        }
        current.abort();
      }
    }

    boolean isWriting() {
      synchronized (lock) {
        return task != null && task != cancelledTask;
      }
    }

    boolean isHung() {
      synchronized (lock) {
        return task != null && task == cancelledTask;
      }
    }

    private void write(SpillTask next) {
      boolean written = false;
      try {
        written = writer.write(next, disk);
      } catch (RuntimeException | Error e) {
        LOG.error("spill failed disk={}", disk.name(), e);
      } finally {
        done(written);
      }
    }

    private SpillTask current() {
      synchronized (lock) {
        return task;
      }
    }

    private void done(boolean written) {
      synchronized (lock) {
        task = null;
        cancelledTask = null;
        writeFailed |= !written;
        lock.notifyAll();
      }
      planner.signal();
    }
  }
}
