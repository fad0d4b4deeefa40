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
 * The state of one disk, from what its threads report of it.
 *
 * <ul>
 *   <li>Suspected at once when it hangs, answers probes wrongly, was remounted read-only or
 *       vanished; after some failed writes in a row; after some checksum errors within a while;
 *       when it is an outlier in latency, against its own history and its peers. A full disk is not
 *       ill.
 *   <li>Failed reads alone change nothing: after some within a while a probe is due ({@link
 *       #isCheckDue}). A disk that answers it is suspected only if the files were those of several
 *       applications; otherwise its owner reads them again ({@link #takeFailedReads}) and gives up
 *       what cannot be read, and the disk stays as it is.
 *   <li>Lost when nothing could be read from it for a while, when its directory stayed away, or
 *       when a lot of reads failed and it does not answer probes. Writes that fail never lose what
 *       can still be read.
 *   <li>Trusted again after some good probes in a row, when the errors have left their window.
 *   <li>A lost disk that answers again is first emptied by its owner ({@link #emptied}).
 * </ul>
 *
 * <p>It hears of {@link IOException}s only: a lack of memory and bugs of the server say nothing
 * about a disk, and neither do those that {@link DiskFault#UNRELATED} names.
 *
 * <p>Touches no disk and starts no thread; time comes in. Thread-safe; the listener is called
 * without the lock.
 */
public final class DiskHealth {
  private static final Logger LOG = LoggerFactory.getLogger(DiskHealth.class);

  private static final long MIB = 1 << 20;

  /** Probes that must find the directory absent until it is believed. */
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
  // Whether the last probe failed for what was wrong with the disk.
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

  /** Why it is not healthy. */
  public HealthCause cause() {
    return cause;
  }

  /** The disks that its latency is compared with; it is never slow without any. */
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

  /** A run of so many bytes was written. */
  public void writeSucceeded(long bytes, long nanos) {
    change(
        () -> {
          writeFailures = 0;
          if (state == HealthState.SUSPECT && cause == HealthCause.WRITE_ERRORS) {
            moveTo(HealthState.HEALTHY, HealthCause.NONE, "a write succeeded");
          }
          took(Work.WRITE, perMib(bytes, nanos));
        });
  }

  /** A write failed. */
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

  /** A write has not come back in its time; said again for as long as it has not. */
  public void writeOverdue(long nanos) {
    overdue(HealthCause.HUNG, "a write has taken " + nanos / 1_000_000 + " ms");
  }

  /** So many bytes were read. */
  public void readSucceeded(long bytes, long nanos) {
    change(
        () -> {
          unanswered = false;
          took(Work.READ, perMib(bytes, nanos));
        });
  }

  /** A read of a run file failed, or the file could not be opened. */
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

  /** Whether so many reads failed that a probe must tell whether the disk is at fault. */
  public synchronized boolean isCheckDue() {
    return readFailures.isCheckDue();
  }

  /**
   * Failed reads that are to be repeated, each of another file; what fails again is lost for its
   * application. None before the disk has answered a probe.
   *
   * @param most to take; the rest is for the next call
   */
  public synchronized List<FailedRead> takeFailedReads(int most) {
    return probeFailed || !readFailures.isCheckDue() ? List.of() : readFailures.take(most);
  }

  /** A read has not come back in its time. */
  public void readOverdue(long nanos) {
    overdue(HealthCause.HUNG, "a read has taken " + nanos / 1_000_000 + " ms");
  }

  /**
   * Bytes that were read are not those that were written.
   *
   * @param offset in the file, of the block or table that does not match its checksum
   */
  public void checksumFailed(String file, long offset) {
    LOG.warn("damaged bytes disk={} file={} offset={}", disk, file, offset);
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

  /** A probe was written, read back and deleted. */
  public void probeSucceeded(long nanos) {
    change(
        () -> {
          unanswered = false;
          absences = 0;
          probeFailed = false;
          readFailures.answered();
          suspectIfReadsFail();
          took(Work.PROBE, nanos);
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
              moveTo(HealthState.RECOVERING, cause, "it answers again");
            }
            case RECOVERING -> {
              if (emptied && goodProbes >= config.probes().successesToReturn()) {
                forgetErrors();
                moveTo(HealthState.HEALTHY, HealthCause.NONE, "empty, " + goodProbes + " probes");
              }
            }
          }
        });
  }

  /**
   * A probe could not be written, though the directory could be read.
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

  /** A probe could not be read back, or differs from what was written. */
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

  /** The directory is not there. */
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

  /** A probe has not come back in its time; said again for as long as it has not. */
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

  /** Nothing is left on a disk that is {@link HealthState#RECOVERING}. */
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

  private void took(Work work, long nanos) {
    latencies.get(work).add(nanos);
    if (isSlow(work)) {
      goodProbes = 0;
      suspect(
          HealthCause.SLOW,
          work + " lately takes " + latencies.get(work).lately() / 1_000_000 + " ms");
    }
  }

  private boolean isSlow(Work work) {
    return latencies
        .get(work)
        .isOutlier(
            config.slowFactor(),
            TimeUnit.MILLISECONDS.toNanos(config.slowLeastMs()),
            peersNanos(work));
  }

  /** The median of what the work takes lately on the peers, -1 if none has a figure. */
  private long peersNanos(Work work) {
    long[] figures =
        peers.stream()
            .filter(peer -> peer != this && peer.state == HealthState.HEALTHY)
            .mapToLong(peer -> peer.latencies.get(work).lately())
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

  private void forgetErrors() {
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
          config.readErrorsUntilLost() + " reads failed, and it does not answer a probe");
    }
  }

  private void suspect(HealthCause why, Object detail) {
    if (state == HealthState.HEALTHY) {
      moveTo(HealthState.SUSPECT, why, detail);
    } else if (state == HealthState.SUSPECT && cause == HealthCause.WRITE_ERRORS) {
      // A write that succeeds does not settle what else is wrong.
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
      LOG.info("disk is {} disk={} before={} because={}", next, disk, before, detail);
    } else {
      LOG.warn(
          "disk is {} disk={} before={} cause={} because={}",
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
