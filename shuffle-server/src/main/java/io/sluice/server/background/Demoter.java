package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskPlacement;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.RateLimiter;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.observe.ServerCounters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Moves runs from disks above their high watermark to the next slower kind with free space, until
 * the low watermark is reached. Uses one thread per source disk: if a disk hangs, only moves from
 * or to it hang. The rate is limited per source disk, and reduced while runs are spilled to the
 * target. Thread-safe.
 */
public final class Demoter implements AutoCloseable {
  private static final long TICK_MS = 1_000;

  /** Time until a failed move is retried. */
  private static final long RETRY_MS = 60_000;

  /** Maximum wait of a chunk for spills to the same disk, which have priority. */
  private static final long MAX_SPILL_WAIT_MS = 50;

  /** Timeout of {@link #close}; a thread whose disk hangs is not waited for. */
  private static final long CLOSE_WAIT_MS = 2_000;

  private final RunFiles files;
  private final ServerCounters counters;
  private final LongSupplier nanoTime;
  private final Supplier<ByteBuffer> buffers;
  private final List<Source> sources = new ArrayList<>();

  /**
   * @param bytesPerSecond maximum rate of moves from one disk; 0: no moves
   */
  public Demoter(
      Disks disks,
      RunFiles files,
      long bytesPerSecond,
      ServerCounters counters,
      LongSupplier nanoTime) {
    this(
        disks,
        files,
        bytesPerSecond,
        counters,
        nanoTime,
        () -> ByteBuffer.allocateDirect(RunMover.CHUNK_BYTES));
  }

  /**
   * As the other constructor, with given buffers.
   *
   * @param buffers creates the buffer of the copies from one disk
   */
  Demoter(
      Disks disks,
      RunFiles files,
      long bytesPerSecond,
      ServerCounters counters,
      LongSupplier nanoTime,
      Supplier<ByteBuffer> buffers) {
    this.files = files;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.buffers = buffers;
    for (Disk disk : disks.list()) {
      List<Disk> slower =
          disks.list().stream().filter(other -> other.kind().compareTo(disk.kind()) > 0).toList();
      if (!slower.isEmpty() && bytesPerSecond > 0) {
        sources.add(
            new Source(disk, slower, new RateLimiter(bytesPerSecond, nanoTime), sources.size()));
      }
    }
  }

  public void start() {
    sources.forEach(source -> source.thread.start());
  }

  /** Moves runs from all disks above their high watermark, on the calling thread. */
  void demote() {
    sources.forEach(Source::demote);
  }

  /** Stops the threads; a move in progress is cancelled. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(sources.stream().map(source -> source.thread).toList(), CLOSE_WAIT_MS);
  }

  private final class Source {
    private final Disk disk;
    private final List<Disk> slower;
    private final RateLimiter rate;
    private final RunMover mover = new RunMover(files, this::admit, buffers.get());
    private final DiskPlacement<Disk> placement = new DiskPlacement<>();
    private final Map<RunFile, Long> failedNanos = new HashMap<>();
    private final DiskThread thread;

    Source(Disk disk, List<Disk> slower, RateLimiter rate, int number) {
      this.disk = disk;
      this.slower = slower;
      this.rate = rate;
      this.thread = new DiskThread("demoter-" + number, TICK_MS, this::demote);
    }

    void demote() {
      if (!disk.isFull() || disk.health().state() != HealthState.HEALTHY) {
        return;
      }
      long now = nanoTime.getAsLong();
      failedNanos.values().removeIf(at -> now - at >= TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
      List<DemotionPolicy.Candidate<RunFile>> candidates = new ArrayList<>();
      for (RunFile run : files.on(disk)) {
        if (!failedNanos.containsKey(run)) {
          candidates.add(
              new DemotionPolicy.Candidate<>(run, run.length(), now - run.lastUseNanos()));
        }
      }
      for (RunFile run :
          DemotionPolicy.choose(candidates, disk.bytesAboveLowMark(), preferredMinBytes())) {
        Disk target = choose(run.length());
        if (target == null || thread.isStopping()) {
          return;
        }
        if (mover.move(run, target)) {
          counters.demoted(run.length());
        } else if (!run.isDiscarded()) {
          failedNanos.put(run, nanoTime.getAsLong());
        }
      }
    }

    /** The smallest preferred minimum length among the targets with free space. */
    private long preferredMinBytes() {
      return slower.stream()
          .filter(each -> each.mayWrite(1))
          .mapToLong(each -> each.storage().preferredMinBytes())
          .min()
          .orElse(0);
    }

    /**
     * Chooses a target of the next slower kind with free space; disks of one kind share the runs.
     */
    private Disk choose(long bytes) {
      List<DiskPlacement.PlacementCandidate<Disk>> candidates = new ArrayList<>();
      for (Disk each : slower) {
        if (each.mayWrite(bytes) && each.health().state().isWritten()) {
          candidates.add(
              new DiskPlacement.PlacementCandidate<>(
                  each,
                  each.kind(),
                  Math.max(1, each.freeBytes()),
                  each.queueDepth(),
                  true,
                  each.isDoubtful()));
        }
      }
      return placement.choose(candidates, bytes, true);
    }

    private boolean admit(Disk target, int bytes) {
      long wait = rate.take(bytes);
      if (target.queueDepth() > 1) {
        wait = Math.max(wait, TimeUnit.MILLISECONDS.toNanos(MAX_SPILL_WAIT_MS));
      }
      return thread.pause(wait);
    }
  }
}
