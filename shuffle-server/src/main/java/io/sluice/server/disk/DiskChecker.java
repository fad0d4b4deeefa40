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
 * Updates the state of one disk: free space at least each second, health by a probe at an interval.
 * After failed reads the disk is probed soon, and then the reads are repeated. A lost disk that
 * answers again is emptied here. If the disk hangs, only this thread hangs; {@link DiskWatch}
 * detects it by {@link #busyNanos}.
 */
final class DiskChecker {
  private static final Logger LOG = LoggerFactory.getLogger(DiskChecker.class);

  static final long REFRESH_MS = 1_000;

  /** Maximum number of reads repeated after one probe, to bound the time of a check. */
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
   * @param loss declares a run lost that is unreadable although the disk answers
   * @param refreshMs maximum time between two checks; a shorter probe interval takes precedence
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

  /** Requests an early probe after a change of the health. */
  void wake() {
    woken.set(true);
    thread.signal();
  }

  /** Duration of the running check; 0 if none is running. */
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
      // Of direct memory: if the heap is exhausted, the process ends. The next check follows soon.
      LOG.warn(
          "disk check postponed, the server is out of memory disk={} problem={}",
          disk.name(),
          e.toString());
    }
  }

  /** Probes the disk if a probe is due, and updates its free space. */
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
    if (!health.state().isReadable()) {
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
        disk.resetFailedWrites();
      }
    }
    for (FailedRead read : health.takeFailedReads(REPEATED_READS)) {
      // Each read may hang, so it is timed separately.
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

  /** Deletes the runs of a lost disk, all of which were declared lost. */
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

  /** Whether no failure is known that needs an early probe. */
  private boolean isQuiet() {
    return health.state() == HealthState.HEALTHY && !health.isCheckDue();
  }

  /** Advances the next probe of a disk with failures. */
  private void probeSooner() {
    if (!isQuiet()) {
      long retryNanos = TimeUnit.MILLISECONDS.toNanos(health.config().probes().retryMs());
      long soon = nanoTime.getAsLong() + retryNanos;
      nextProbeNanos = probed && nextProbeNanos - soon < 0 ? nextProbeNanos : soon;
    }
  }
}
