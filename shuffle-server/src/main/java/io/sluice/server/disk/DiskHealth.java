package io.sluice.server.disk;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of one disk, derived from the results that its threads report.
 *
 * <ul>
 *   <li>SUSPECT at once if the disk hangs, returns wrong bytes to a probe, was remounted read-only
 *       or vanished. Also SUSPECT after several consecutive failed writes, or several checksum
 *       errors within the error window. Also SUSPECT if its latency is an outlier against its
 *       history and its peers. A full disk stays healthy.
 *   <li>Failed reads alone do not change the state: after several within the error window a probe
 *       is due ({@link #isCheckDue}). If the probe succeeds, the disk becomes SUSPECT only if files
 *       of several applications failed; otherwise its owner repeats the reads ({@link
 *       #takeFailedReads}) and declares unreadable runs lost.
 *   <li>LOST if no read succeeded for {@code lostAfterMs}, if its directory stays absent, or if
 *       many reads failed and probes fail too ({@code readErrorsUntilLost}). Failed writes alone
 *       never lead to LOST.
 *   <li>HEALTHY again after several consecutive successful probes, once the errors are older than
 *       the error window.
 *   <li>A LOST disk that answers again is first emptied by its owner ({@link #emptied}).
 * </ul>
 *
 * <p>Only {@link IOException}s are reported: out-of-memory errors and bugs of the server are no
 * disk faults. Exceptions of kind {@link DiskFault#UNRELATED} are ignored.
 *
 * <p>Does no I/O, starts no thread and reads the given clock only. Thread-safe; the listener is
 * called without the lock.
 */
public final class DiskHealth {
  private static final Logger LOG = LoggerFactory.getLogger(DiskHealth.class);

  private static final long MIB = 1 << 20;

  /** Consecutive probes with an absent directory after which the disk is lost. */
  private static final int ABSENT_UNTIL_LOST = 2;

  private enum Work {
    WRITE,
    READ,
    PROBE
  }

  private final String disk;
  private final HealthConfig config;
  private final LongSupplier nanoTime;
  private final Map<Work, LatencyTrack> latencies = new EnumMap<>(Work.class);
  private volatile List<DiskHealth> peers = List.of();
  private volatile Runnable listener = () -> {};
  private volatile HealthState state = HealthState.HEALTHY;
  private volatile HealthCause cause = HealthCause.NONE;

  // Guarded by this.
  private final ReadFailures readFailures;
  private final ErrorWindow checksumErrors;
  private int writeFailures;
  private int goodProbes;
  private int absences;
  // Whether the last probe failed because of a disk fault.
  private boolean probeFailed;
  private boolean unanswered;
  private long unansweredSinceNanos;
  private boolean emptied;

  /**
   * @param disk name for messages
   */
  public DiskHealth(String disk, HealthConfig config, LongSupplier nanoTime) {
    this.disk = disk;
    this.config = config;
    this.nanoTime = nanoTime;
    long windowNanos = TimeUnit.MILLISECONDS.toNanos(config.errorWindowMs());
    this.readFailures = new ReadFailures(config);
    this.checksumErrors = new ErrorWindow(config.checksumErrorsUntilSuspect(), windowNanos);
    for (Work work : Work.values()) {
      latencies.put(work, new LatencyTrack());
    }
  }

  public HealthConfig config() {
    return config;
  }

  public HealthState state() {
    return state;
  }

  /** Reason for a state other than HEALTHY. */
  public HealthCause cause() {
    return cause;
  }

  /** Sets the peers for latency comparison; without peers the disk is never marked slow. */
  public void compareWith(List<DiskHealth> others) {
    peers = List.copyOf(others);
  }

  /**
   * Called after each change of the state, and when a check becomes due, on the thread that caused
   * it; must be quick.
   */
  public void onChange(Runnable task) {
    listener = task;
  }

  /** Reports a successful write of a run. */
  public void writeSucceeded(long bytes, long nanos) {
    change(
        () -> {
          writeFailures = 0;
          if (state == HealthState.SUSPECT && cause == HealthCause.WRITE_ERRORS) {
            moveTo(HealthState.HEALTHY, HealthCause.NONE, "a write succeeded");
          }
          recordLatency(Work.WRITE, perMib(bytes, nanos));
        });
  }

  /** Reports a failed write. */
  public void writeFailed(IOException problem) {
    DiskFault fault = DiskFault.of(problem);
    if (fault == DiskFault.UNRELATED) {
      return;
    }
    change(
        () -> {
          goodProbes = 0;
          switch (fault) {
            case FULL, UNRELATED -> {}
            case READ_ONLY -> suspect(HealthCause.READ_ONLY, problem);
            case ABSENT, FAILED -> {
              writeFailures++;
              if (writeFailures >= config.writeFailuresUntilSuspect()) {
                suspect(HealthCause.WRITE_ERRORS, problem);
              }
            }
          }
        });
  }

  /** Reports a write that exceeded its timeout; called repeatedly until it ends. */
  public void writeOverdue(long nanos) {
    overdue(HealthCause.HUNG, "a write has taken " + nanos / 1_000_000 + " ms");
  }

  /** Reports a successful read. */
  public void readSucceeded(long bytes, long nanos) {
    change(
        () -> {
          unanswered = false;
          recordLatency(Work.READ, perMib(bytes, nanos));
        });
  }

  /** Reports that a run file could not be read or opened. */
  public void readFailed(FailedRead read, IOException problem) {
    if (DiskFault.of(problem) == DiskFault.UNRELATED) {
      return;
    }
    change(
        () -> {
          readFailures.add(read, nanoTime.getAsLong());
          loseIfReadsFail();
        });
  }

  /** Whether enough reads failed that the disk must be probed. */
  public synchronized boolean isCheckDue() {
    return readFailures.isCheckDue();
  }

  /**
   * Takes failed reads to repeat, at most one per file; a run that fails again is lost. Empty until
   * the disk has answered a probe.
   *
   * @param max maximum number of reads to take; the others stay queued
   */
  public synchronized List<FailedRead> takeFailedReads(int max) {
    return probeFailed || !readFailures.isCheckDue() ? List.of() : readFailures.take(max);
  }

  /** Reports a read that exceeded its timeout. */
  public void readOverdue(long nanos) {
    overdue(HealthCause.HUNG, "a read has taken " + nanos / 1_000_000 + " ms");
  }

  /**
   * Reports bytes that do not match their checksum.
   *
   * @param offset offset in the file of the damaged block or table
   */
  public void checksumFailed(String file, long offset) {
    LOG.warn("checksum mismatch disk={} file={} offset={}", disk, file, offset);
    change(
        () -> {
          long now = nanoTime.getAsLong();
          goodProbes = 0;
          checksumErrors.add(now);
          if (checksumErrors.count(now) >= config.checksumErrorsUntilSuspect()) {
            suspect(HealthCause.CHECKSUM_ERRORS, "last in " + file + " at " + offset);
          }
        });
  }

  /** Reports a successful probe. */
  public void probeSucceeded(long nanos) {
    change(
        () -> {
          unanswered = false;
          absences = 0;
          probeFailed = false;
          readFailures.answered();
          suspectIfReadsFail();
          recordLatency(Work.PROBE, nanos);
          if (isSlow(Work.PROBE)) {
            goodProbes = 0;
            return;
          }
          goodProbes++;
          switch (state) {
            case HEALTHY -> {}
            case SUSPECT -> {
              if (goodProbes >= config.probes().successesToReturn() && !hasRecentErrors()) {
                moveTo(HealthState.HEALTHY, HealthCause.NONE, goodProbes + " good probes");
              }
            }
            case LOST -> {
              goodProbes = 1;
              emptied = false;
              moveTo(HealthState.RECOVERING, cause, "the disk answers again");
            }
            case RECOVERING -> {
              if (emptied && goodProbes >= config.probes().successesToReturn()) {
                clearErrors();
                moveTo(HealthState.HEALTHY, HealthCause.NONE, "empty, " + goodProbes + " probes");
              }
            }
          }
        });
  }

  /**
   * Reports a probe that could not be written although the directory was readable.
   *
   * @param problem why
   */
  public void probeNotWritten(IOException problem) {
    DiskFault fault = DiskFault.of(problem);
    if (fault == DiskFault.UNRELATED) {
      return;
    }
    change(
        () -> {
          unanswered = false;
          absences = 0;
          goodProbes = 0;
          probeFailed = fault == DiskFault.ABSENT || fault == DiskFault.FAILED;
          switch (fault) {
            case FULL, UNRELATED -> suspectIfReadsFail();
            case READ_ONLY -> suspect(HealthCause.READ_ONLY, problem);
            case ABSENT, FAILED -> suspect(HealthCause.PROBE_FAILED, problem);
          }
          if (fault != DiskFault.FULL) {
            relapse(problem);
          }
          loseIfReadsFail();
        });
  }

  /** Reports a probe that could not be read back or returned wrong bytes. */
  public void probeNotRead(IOException problem) {
    if (DiskFault.of(problem) == DiskFault.UNRELATED) {
      return;
    }
    change(
        () -> {
          absences = 0;
          goodProbes = 0;
          probeFailed = true;
          beginUnanswered();
          suspect(HealthCause.PROBE_FAILED, problem);
          relapse(problem);
          loseIfUnanswered();
          loseIfReadsFail();
        });
  }

  /** Reports that the directory does not exist. */
  public void directoryAbsent(IOException problem) {
    if (DiskFault.of(problem) == DiskFault.UNRELATED) {
      return;
    }
    change(
        () -> {
          goodProbes = 0;
          absences++;
          probeFailed = true;
          beginUnanswered();
          suspect(HealthCause.VANISHED, problem);
          relapse(problem);
          if (absences >= ABSENT_UNTIL_LOST) {
            lose(HealthCause.VANISHED, problem);
          }
          loseIfReadsFail();
        });
  }

  /** Reports a probe that exceeded its timeout; called repeatedly until it ends. */
  public void probeOverdue(long nanos) {
    change(
        () -> {
          goodProbes = 0;
          probeFailed = true;
          beginUnanswered();
          String detail = "a probe has taken " + nanos / 1_000_000 + " ms";
          suspect(HealthCause.HUNG, detail);
          relapse(detail);
          loseIfUnanswered();
          loseIfReadsFail();
        });
  }

  /** Reports that a {@link HealthState#RECOVERING} disk stores no runs. */
  public synchronized void emptied() {
    emptied = state == HealthState.RECOVERING;
  }

  private void overdue(HealthCause why, String detail) {
    change(
        () -> {
          goodProbes = 0;
          suspect(why, detail);
        });
  }

  private void recordLatency(Work work, long nanos) {
    latencies.get(work).add(nanos);
    if (isSlow(work)) {
      goodProbes = 0;
      suspect(
          HealthCause.SLOW,
          work + " recently takes " + latencies.get(work).recentNanos() / 1_000_000 + " ms");
    }
  }

  private boolean isSlow(Work work) {
    return latencies
        .get(work)
        .isOutlier(
            config.slowFactor(),
            TimeUnit.MILLISECONDS.toNanos(config.slowThresholdMs()),
            () -> peersNanos(work));
  }

  /** Median of the recent latencies of the peers; -1 if no peer has one. */
  private long peersNanos(Work work) {
    long[] figures =
        peers.stream()
            .filter(peer -> peer != this && peer.state == HealthState.HEALTHY)
            .mapToLong(peer -> peer.latencies.get(work).recentNanos())
            .filter(nanos -> nanos >= 0)
            .sorted()
            .toArray();
    return figures.length == 0 ? -1 : figures[figures.length / 2];
  }

  private static long perMib(long bytes, long nanos) {
    return bytes <= MIB ? nanos : (long) ((double) nanos / bytes * MIB);
  }

  private boolean hasRecentErrors() {
    long now = nanoTime.getAsLong();
    return readFailures.areOfSeveralApplications(now)
        || checksumErrors.count(now) >= config.checksumErrorsUntilSuspect();
  }

  private void clearErrors() {
    readFailures.clear();
    checksumErrors.clear();
    writeFailures = 0;
    absences = 0;
    probeFailed = false;
    unanswered = false;
  }

  private void beginUnanswered() {
    if (!unanswered) {
      unanswered = true;
      unansweredSinceNanos = nanoTime.getAsLong();
    }
  }

  private void loseIfUnanswered() {
    long nanos = nanoTime.getAsLong() - unansweredSinceNanos;
    if (unanswered && nanos >= TimeUnit.MILLISECONDS.toNanos(config.lostAfterMs())) {
      lose(cause, "not readable for " + nanos / 1_000_000 + " ms");
    }
  }

  private void suspectIfReadsFail() {
    if (state == HealthState.HEALTHY
        && readFailures.areOfSeveralApplications(nanoTime.getAsLong())) {
      goodProbes = 0;
      suspect(HealthCause.READ_ERRORS, "reads of several applications failed");
    }
  }

  private void loseIfReadsFail() {
    if (probeFailed && readFailures.areTooMany(nanoTime.getAsLong())) {
      lose(
          HealthCause.READ_ERRORS,
          config.readErrorsUntilLost() + " reads failed, and the last probe failed");
    }
  }

  private void suspect(HealthCause why, Object detail) {
    if (state == HealthState.HEALTHY) {
      moveTo(HealthState.SUSPECT, why, detail);
    } else if (state == HealthState.SUSPECT && cause == HealthCause.WRITE_ERRORS) {
      // The new cause stays even if a later write succeeds.
      cause = why;
    }
  }

  private void lose(HealthCause why, Object detail) {
    if (state == HealthState.SUSPECT) {
      moveTo(HealthState.LOST, why, detail);
    }
  }

  private void relapse(Object detail) {
    if (state == HealthState.RECOVERING) {
      moveTo(HealthState.LOST, cause, detail);
    }
  }

  private void moveTo(HealthState next, HealthCause why, Object detail) {
    if (!state.canMoveTo(next)) {
      throw new IllegalStateException("disk " + disk + " from " + state + " to " + next);
    }
    HealthState before = state;
    cause = why;
    state = next;
    if (next == HealthState.HEALTHY || next == HealthState.RECOVERING) {
      LOG.info("disk is {} disk={} previousState={} reason={}", next, disk, before, detail);
    } else {
      LOG.warn(
          "disk is {} disk={} previousState={} cause={} reason={}",
          next,
          disk,
          before,
          why,
          String.valueOf(detail));
    }
  }

  private void change(Runnable step) {
    boolean changed;
    synchronized (this) {
      HealthState before = state;
      boolean dueBefore = readFailures.isCheckDue();
      step.run();
      changed = state != before || (readFailures.isCheckDue() && !dueBefore);
    }
    if (changed) {
      listener.run();
    }
  }
}
