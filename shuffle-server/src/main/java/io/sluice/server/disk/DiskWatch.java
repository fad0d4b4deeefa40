package io.sluice.server.disk;

import io.sluice.common.run.DamagedBlock;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.observe.ServerCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Monitors all disks without I/O: detects overdue writes and probes, and declares the runs of lost
 * disks lost. Its own thread never waits for a disk; each disk's checker does. Thread-safe.
 */
public final class DiskWatch implements DamageReports.Loss, AutoCloseable {
  private static final long TICK_MS = 250;

  private static final long CLOSE_WAIT_MS = 1_000;

  private final List<DiskChecker> checkers = new ArrayList<>();
  private final DiskLoss loss;
  private final DiskThread thread = new DiskThread("disk-watch", TICK_MS, this::check);

  /**
   * @param random source of the bytes of probes; thread-safe
   * @param pageCache drops probes before they are read back
   */
  public DiskWatch(
      Disks disks,
      ShuffleStore store,
      RunFiles files,
      RandomGenerator random,
      PageCache pageCache,
      ServerCounters counters,
      LongSupplier nanoTime) {
    this(
        disks,
        files,
        new DiskLoss(store, files, counters),
        random,
        pageCache,
        nanoTime,
        DiskChecker.REFRESH_MS);
  }

  /**
   * @param refreshMs maximum time between two checks of a disk
   */
  DiskWatch(
      Disks disks,
      RunFiles files,
      DiskLoss loss,
      RandomGenerator random,
      PageCache pageCache,
      LongSupplier nanoTime,
      long refreshMs) {
    this.loss = loss;
    for (Disk disk : disks.list()) {
      DiskProbe probe = new DiskProbe(disk, random, pageCache);
      String name = "disk-checker-" + checkers.size();
      checkers.add(new DiskChecker(disk, probe, files, loss::declare, nanoTime, refreshMs, name));
    }
    for (DiskChecker checker : checkers) {
      DiskHealth health = checker.disk().health();
      health.compareWith(peers(checker.disk(), disks.list()));
      health.onChange(
          () -> {
            checker.wake();
            thread.signal();
          });
    }
  }

  public void start() {
    thread.start();
    checkers.forEach(checker -> checker.thread().start());
  }

  /** Stops the threads; does not wait for a thread whose disk hangs. Idempotent. */
  @Override
  public void close() {
    List<DiskThread> threads = new ArrayList<>(List.of(thread));
    checkers.forEach(checker -> threads.add(checker.thread()));
    DiskThread.stopAll(threads, CLOSE_WAIT_MS);
  }

  /**
   * {@inheritDoc} It is no longer served, and readers use another replica. Any thread may call it;
   * does no I/O.
   */
  @Override
  public void declare(RunFile damaged) {
    loss.declare(damaged);
  }

  /**
   * {@inheritDoc} They are recorded in the catalog of its disk in the background. Any thread may
   * call it; does no I/O.
   */
  @Override
  public void declare(RunFile run, List<DamagedBlock> blocks) {
    loss.declare(run, blocks);
  }

  /** Checks the state of each disk once. */
  void check() {
    for (DiskChecker checker : checkers) {
      Disk disk = checker.disk();
      long busyNanos = checker.busyNanos();
      if (busyNanos > TimeUnit.MILLISECONDS.toNanos(disk.health().config().probes().timeoutMs())) {
        disk.health().probeOverdue(busyNanos);
      }
      disk.reportOverdueWrites();
      if (!disk.health().state().isReadable()) {
        loss.declare(disk);
      }
    }
  }

  /** The other disks of the same kind; if there is none, all other local disks. */
  private static List<DiskHealth> peers(Disk disk, List<Disk> all) {
    List<DiskHealth> alike = new ArrayList<>();
    List<DiskHealth> others = new ArrayList<>();
    for (Disk other : all) {
      if (other != disk && other.kind() == disk.kind()) {
        alike.add(other.health());
      } else if (other != disk && other.kind() != StorageKind.REMOTE) {
        others.add(other.health());
      }
    }
    return alike.isEmpty() ? others : alike;
  }

  List<DiskChecker> checkers() {
    return checkers;
  }
}
