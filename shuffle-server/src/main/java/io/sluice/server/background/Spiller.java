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
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps memory below its high mark: one thread plans, and hands batches to one writer thread per
 * disk. It wakes when it is signalled, when a write ends, and a few times a second for what time
 * brings: disks that come back, grants of memory that nobody claimed.
 *
 * <p>Thread-safe.
 */
public final class Spiller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Spiller.class);

  private static final long TICK_MS = 100;

  /** Room for header, trailer and index entries beside the blocks. */
  private static final long FILE_MARGIN_BYTES = 16 << 10;

  /** Runs that are being written when it ends: those of a clean stop have had their time before. */
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
  private final DiskPlacement<Target> placement = new DiskPlacement<>();
  private final Object lock = new Object();

  /** Calls that wait until memory is written. */
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

  /** Starts spilling, and listens to the memory's pressure. */
  public void start() {
    planner.start();
    targets.forEach(target -> target.thread.start());
    memory.onPressure(this::signal);
  }

  /** Something has changed: memory was taken, or blocks can be spilled now. Cheap. */
  public void signal() {
    planner.signal();
  }

  /** False while no disk takes data, so that what fills memory stays there. */
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
   * Writes everything that is in memory to files.
   *
   * @return whether everything was written in time
   */
  public boolean flushAll(long timeoutMs) throws InterruptedException {
    return flush(0, timeoutMs);
  }

  /**
   * Writes what is in memory to files, while more may come.
   *
   * @param leaveBytes what may stay in memory; small runs are not worth a file
   * @return whether no more than that is left
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

  /** Whether too much is in memory, or all is to go and a writer holds what it has just written. */
  private boolean isMoreLeft(LogTotals totals, long leaveBytes) {
    return totals.bufferedBytes() + totals.spillingBytes() > leaveBytes
        || (leaveBytes == 0 && targets.stream().anyMatch(Target::isWriting));
  }

  /**
   * Ends the threads; a run that is being written is finished first, unless its disk does not
   * answer: then its blocks stay in memory, and the thread is left behind. Idempotent.
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
      if (!target.hasBeenGivenUp()) {
        awaited.add(target.thread);
      }
    }
    DiskThread.awaitEnd(awaited, STOP_WAIT_MS).forEach(DiskThread::interrupt);
    targets.forEach(Target::giveUp);
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
    targets.forEach(Target::giveUpOverdue);
    if (anyWriteFailed()) {
      policy.writeFailed();
    }
    boolean room = disks.anyHealthy();
    huge.limit();
    boolean idle = true;
    for (ShuffleLog log = huge.next(); log != null && idle; log = huge.next()) {
      idle = assign(log, huge.runBytes());
    }
    for (long bytes = bytesToSpill(); bytes > 0; bytes = bytesToSpill()) {
      ShuffleLog log = fullest();
      if (log == null) {
        break;
      }
      if (!assign(log, policy.runBytes(bytes))) {
        room = willFree(fileBytes(log.nextSpillBytes()));
        break;
      }
    }
    tellWhetherRoom(room);
  }

  /** Has a run of a log written; false when no disk has time and room for it. */
  private boolean assign(ShuffleLog log, long runBytes) {
    Target target = choose(fileBytes(log.nextSpillBytes()), log.bufferedBytes());
    if (target == null) {
      return false;
    }
    SpillBatch batch = log.takeForSpill(Math.min(runBytes, blockBytes(target.disk.freeBytes())));
    if (batch != null) {
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

  private void tellWhetherRoom(boolean room) {
    if (room != canStore) {
      canStore = room;
      if (room) {
        LOG.info("spilling is possible again");
      } else {
        LOG.warn("no disk takes data, pushes are refused while memory is full");
      }
    }
    if (!room) {
      // Whoever waits for memory learns that there will be none.
      memory.retryWaiters();
    }
  }

  /** Most bytes of a file for so many bytes of blocks: empty blocks have lists half their size. */
  private static long fileBytes(long blockBytes) {
    return blockBytes + blockBytes / 2 + FILE_MARGIN_BYTES;
  }

  private static long blockBytes(long fileBytes) {
    return Math.max(1, (fileBytes - FILE_MARGIN_BYTES) / 3 * 2);
  }

  /**
   * Whether memory will become free: a run of so many bytes has room, or one is being written. Room
   * that is promised to the latter is more than it takes, so what it leaves is not known before.
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

  private ShuffleLog fullest() {
    return FullestShuffle.of(
        store.logs(), log -> log.key().application(), ShuffleLog::bufferedBytes);
  }

  /**
   * A disk that begins to write so many bytes now. While there is time, a run waits for the better
   * kind of disk; when memory is tight, any that is idle is good enough. A remote tier gets runs
   * only while no disk of the machine has room.
   *
   * @param buffered bytes of the same shuffle in memory
   */
  private Target choose(long bytes, long buffered) {
    List<DiskPlacement.Place<Target>> places = new ArrayList<>();
    for (Target target : targets) {
      Disk disk = target.disk;
      if (disk.mayWrite(bytes)) {
        places.add(
            new DiskPlacement.Place<>(
                target,
                disk.kind(),
                Math.max(1, disk.freeBytes()),
                disk.queueDepth(),
                target.isIdle(),
                disk.isDoubtful()));
      }
    }
    boolean local = places.stream().anyMatch(place -> place.kind() != StorageKind.REMOTE);
    places.removeIf(
        place ->
            place.kind() == StorageKind.REMOTE
                && (local || isWorthWaiting(bytes, buffered, place.target().disk)));
    return placement.choose(places, bytes, memory.pressure().tight() || isFlushing());
  }

  /** Whether a run is too small for a remote tier, and a disk of the machine will have room. */
  private boolean isWorthWaiting(long bytes, long buffered, Disk remote) {
    return buffered < remote.storage().worthwhileBytes()
        && !isFlushing()
        && disks.list().stream()
            .anyMatch(
                disk ->
                    disk.kind() != StorageKind.REMOTE
                        // Or it has room since it was asked.
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
    private SpillTask givenUp;

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

    /** Gives up what has not been written in its time: it goes to another disk. */
    void giveUpOverdue() {
      long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(disk.health().config().writeTimeoutMs());
      SpillTask current = current();
      if (current != null && !current.isSettled() && current.write().isOverdue(timeoutNanos)) {
        disk.reportOverdueWrites();
        giveUp();
      }
    }

    /** Gives up what is being written, if anything is. */
    void giveUp() {
      SpillTask current = current();
      if (current != null && !current.isSettled()) {
        LOG.warn(
            "disk does not take a run, its blocks stay in memory disk={} bytes={} afterMs={}",
            disk.name(),
            current.batch().length(),
            current.write().ageNanos() / 1_000_000);
        synchronized (lock) {
          writeFailed = true;
          givenUp = current;
        }
        current.abort();
      }
    }

    boolean isWriting() {
      synchronized (lock) {
        return task != null && task != givenUp;
      }
    }

    boolean hasBeenGivenUp() {
      synchronized (lock) {
        return task != null && task == givenUp;
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
        givenUp = null;
        writeFailed |= !written;
        lock.notifyAll();
      }
      planner.signal();
    }
  }
}
