package io.sluice.server.watch;

import io.sluice.server.health.DiskHealth;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.service.ServerCounters;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.Disks;
import io.sluice.server.storage.RunFile;
import io.sluice.server.storage.RunFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after all disks without touching one: finds what has not come back in its time, and gives
 * up what a lost disk held. Its own thread never waits for a disk; each disk's checker does.
 * Thread-safe.
 */
public final class DiskWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  private static final long TICK_MS = 250;

  private final List<DiskChecker> checkers = new ArrayList<>();
  private final DiskLoss loss;
  private final Thread thread = new Thread(this::watch, "disk-watch");
  private final Object lock = new Object();

  // Guarded by lock.
  private boolean signalled;
  private boolean stopped;

  /**
   * @param random what probes are made of; thread-safe
   */
  public DiskWatch(
      Disks disks,
      ShuffleStore store,
      RunFiles files,
      RandomGenerator random,
      ServerCounters counters,
      LongSupplier nanoTime) {
    this.loss = new DiskLoss(store, files, counters);
    for (Disk disk : disks.list()) {
      DiskProbe probe = new DiskProbe(disk, random);
      String name = "disk-checker-" + checkers.size();
      checkers.add(new DiskChecker(disk, probe, files, nanoTime, name));
    }
    for (DiskChecker checker : checkers) {
      DiskHealth health = checker.disk().health();
      health.compareWith(
          disks.list().stream()
              .filter(other -> other.kind() == checker.disk().kind())
              .map(Disk::health)
              .toList());
      health.onChange(
          () -> {
            checker.wake();
            signal();
          });
    }
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
    checkers.forEach(DiskChecker::start);
  }

  /** Ends the threads; one that waits for its disk is left behind. Idempotent. */
  @Override
  public void close() {
    synchronized (lock) {
      stopped = true;
      lock.notifyAll();
    }
    checkers.forEach(DiskChecker::close);
    if (thread.getState() != Thread.State.NEW) {
      try {
        thread.join(TICK_MS * 4);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Declares a run lost of which bytes are damaged: it is not served any more, and readers go to
   * another copy. Any thread may call it; it waits for no disk.
   */
  public void declareLost(RunFile damaged) {
    loss.declare(damaged);
  }

  /** Looks at each disk once. */
  void look() {
    for (DiskChecker checker : checkers) {
      Disk disk = checker.disk();
      long busyNanos = checker.busyNanos();
      if (busyNanos > TimeUnit.MILLISECONDS.toNanos(disk.health().config().probeTimeoutMs())) {
        disk.health().probeOverdue(busyNanos);
      }
      disk.reportOverdueWrites();
      if (!disk.health().state().holdsData()) {
        loss.declare(disk);
      }
    }
  }

  List<DiskChecker> checkers() {
    return checkers;
  }

  private void signal() {
    synchronized (lock) {
      signalled = true;
      lock.notifyAll();
    }
  }

  private void watch() {
    while (awaitSignal()) {
      try {
        look();
      } catch (RuntimeException e) {
        LOG.error("looking after disks failed", e);
      }
    }
  }

  private boolean awaitSignal() {
    synchronized (lock) {
      try {
        if (!signalled && !stopped) {
          lock.wait(TICK_MS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      signalled = false;
      return !stopped;
    }
  }
}
