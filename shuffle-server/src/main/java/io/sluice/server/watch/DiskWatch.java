package io.sluice.server.watch;

import io.sluice.server.health.DiskHealth;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.PageCache;
import io.sluice.server.service.ServerCounters;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.Disks;
import io.sluice.server.storage.RunFile;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.StorageKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
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
  private final Semaphore signals = new Semaphore(0);
  private volatile boolean stopped;

  /**
   * @param random what probes are made of; thread-safe
   * @param pageCache is told to forget probes that are to be read from the disk
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
   * @param refreshMs longest time from one check of a disk to the next
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
    stopped = true;
    signals.release();
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

  /** The other disks of its kind; if there is none, all others of this machine. */
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

  private void signal() {
    signals.release();
  }

  private void watch() {
    while (awaitSignal()) {
      try {
        look();
      } catch (RuntimeException | Error e) {
        LOG.error("looking after disks failed", e);
      }
    }
  }

  /** Returns when signalled or when a tick has passed; false once stopped. */
  private boolean awaitSignal() {
    try {
      if (signals.tryAcquire(TICK_MS, TimeUnit.MILLISECONDS)) {
        signals.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return !stopped;
  }
}
