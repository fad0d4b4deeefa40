package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is known of one disk up to date: how full it is, at least each second, and by a probe
 * now and then how well. A disk of which reads failed is probed soon, and then they are repeated. A
 * lost disk that answers again is emptied here. If the disk hangs, so does this thread, and no
 * other; {@link DiskWatch} sees it by {@link #busyNanos}.
 */
final class DiskChecker {
  private static final Logger LOG = LoggerFactory.getLogger(DiskChecker.class);

  static final long REFRESH_MS = 1_000;

  /** After each probe, so that what follows the probe takes no longer than a few reads. */
  private static final int REPEATED_READS = 4;

  private final Disk disk;
  private final DiskHealth health;
  private final DiskProbe probe;
  private final RunFiles files;
  private final RepeatedReads repeatedReads;
  private final LongSupplier nanoTime;
  private final DiskThread thread;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private boolean busy;

  @GuardedBy("lock")
  private long busySinceNanos;

  private final AtomicBoolean woken = new AtomicBoolean();

  // Used by the checking thread only.
  private long nextProbeNanos;
  private boolean probed;

  /**
   * @param loss gives up a run that cannot be read though the disk is well
   * @param refreshMs longest time from one check to the next; a shorter probe interval shortens it
   */
  DiskChecker(
      Disk disk,
      DiskProbe probe,
      RunFiles files,
      Consumer<RunFile> loss,
      LongSupplier nanoTime,
      long refreshMs,
      String name) {
    this.disk = disk;
    this.health = disk.health();
    this.probe = probe;
    this.files = files;
    this.repeatedReads = new RepeatedReads(disk, files, loss);
    this.nanoTime = nanoTime;
    this.thread =
        new DiskThread(
            name, Math.min(refreshMs, health.config().probes().intervalMs()), this::checkAgain);
  }

  Disk disk() {
    return disk;
  }

  DiskThread thread() {
    return thread;
  }

  /** Something has changed: the next probe is due sooner than thought. */
  void wake() {
    woken.set(true);
    thread.signal();
  }

  /** For how long the disk has not answered; 0 when nothing was asked of it. */
  long busyNanos() {
    synchronized (lock) {
      return busy ? nanoTime.getAsLong() - busySinceNanos : 0;
    }
  }

  private void checkAgain() {
    if (woken.getAndSet(false)) {
      probeSooner();
    }
    try {
      check();
    } catch (OutOfMemoryError e) {
      // Of direct memory: without heap the process ends. The next check comes soon.
      LOG.warn(
          "disk check postponed, the server lacks memory disk={} problem={}",
          disk.name(),
          e.toString());
    }
  }

  /** Asks the disk how full it is, and probes it if a probe is due. */
  void check() {
    begin();
    try {
      if (isProbeDue()) {
        probe();
      }
      disk.refresh();
    } finally {
      end();
    }
  }

  private boolean isProbeDue() {
    return !probed || nanoTime.getAsLong() - nextProbeNanos >= 0;
  }

  private void probe() {
    if (!health.state().holdsData()) {
      try {
        disk.storage().renew();
      } catch (IOException e) {
        health.directoryAbsent(e);
        scheduleProbe();
        return;
      }
    }
    boolean wasHealthy = health.state() == HealthState.HEALTHY;
    long startNanos = nanoTime.getAsLong();
    if (probe.run()) {
      health.probeSucceeded(nanoTime.getAsLong() - startNanos);
      if (!wasHealthy && health.state() == HealthState.HEALTHY) {
        disk.forgetFailedWrites();
      }
    }
    for (FailedRead read : health.takeFailedReads(REPEATED_READS)) {
      // Each is a call of its own that may hang.
      begin();
      repeatedReads.repeat(read);
    }
    if (health.state() == HealthState.RECOVERING) {
      empty();
    }
    scheduleProbe();
  }

  private void scheduleProbe() {
    boolean well = isQuiet();
    long ms = well ? health.config().probes().intervalMs() : health.config().probes().retryMs();
    nextProbeNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(ms);
    probed = true;
  }

  /** Deletes what the disk held before it was lost, all of which was declared lost. */
  private void empty() {
    if (!files.on(disk).isEmpty()) {
      return;
    }
    int count = 0;
    long bytes = 0;
    try {
      List<RunId> known = disk.catalog().runs().stream().map(RunRecord::id).toList();
      disk.catalog().remove(known);
      for (Storage.Entry entry : disk.storage().list()) {
        if (RunFiles.runId(entry.file()).isPresent()) {
          disk.storage().delete(entry.file());
          count++;
          bytes += entry.length();
        }
      }
    } catch (IOException e) {
      LOG.warn("lost runs not deleted disk={} problem={}", disk.name(), e.toString());
      return;
    }
    if (count > 0) {
      LOG.info("lost runs deleted disk={} files={} bytes={}", disk.name(), count, bytes);
    }
    health.emptied();
  }

  private void begin() {
    synchronized (lock) {
      busy = true;
      busySinceNanos = nanoTime.getAsLong();
    }
  }

  private void end() {
    synchronized (lock) {
      busy = false;
    }
  }

  /** Whether nothing is known that a probe should tell more of. */
  private boolean isQuiet() {
    return health.state() == HealthState.HEALTHY && !health.isCheckDue();
  }

  /** What made the disk suspect is looked into soon, not at the next probe of a healthy one. */
  private void probeSooner() {
    if (!isQuiet()) {
      long retryNanos = TimeUnit.MILLISECONDS.toNanos(health.config().probes().retryMs());
      long soon = nanoTime.getAsLong() + retryNanos;
      nextProbeNanos = probed && nextProbeNanos - soon < 0 ? nextProbeNanos : soon;
    }
  }
}
