package io.sluice.coordinator.history;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.TaskReport;
import java.time.Instant;
import java.util.Optional;

/**
 * An application that has ended, or whose lease has expired. Immutable.
 *
 * @param number ascending without gaps from 1; {@link #UNNUMBERED} before the application is added
 *     to {@link FinishedApplications}
 * @param finishedAt wall clock time of the end, or of the expiry of the lease
 * @param durationMs time from the first registration until then
 * @param tasks last report of the driver about its tasks; empty: none
 */
public record FinishedApplication(
    long number,
    String name,
    String user,
    String clientVersion,
    Outcome outcome,
    Instant finishedAt,
    long durationMs,
    int shuffles,
    Fallbacks fallbacks,
    Optional<TaskReport> tasks) {
  /** Number of an application that is not in the list: the list assigns the next number. */
  public static final long UNNUMBERED = 0;

  /** Bytes of an object and of the list for it, without its text. */
  private static final int FIXED_BYTES = 120;

  /** Bytes of a server or a shuffle in a report, without its text. */
  private static final int ENTRY_BYTES = 60;

  /** Type of the end. Names are part of the REST API: never rename them. */
  public enum Outcome {
    /** Its driver or an operator ended it. */
    ENDED,
    /** Its driver stopped renewing the lease. */
    EXPIRED
  }

  /**
   * Returns an application that is not in the list yet.
   *
   * @param last the application before it ended
   * @param endMs time of the end on the clock of the coordinator's state
   * @param at the same time on the wall clock
   */
  public static FinishedApplication of(
      Application last, Outcome outcome, long endMs, Instant at, Optional<TaskReport> tasks) {
    return new FinishedApplication(
        UNNUMBERED,
        last.name(),
        last.user(),
        last.clientVersion(),
        outcome,
        at,
        Math.max(0, endMs - last.registeredAtMs()),
        last.shuffleCount(),
        last.fallbacks(),
        tasks);
  }

  /** Returns this application without its report. */
  public FinishedApplication withoutTasks() {
    return with(number, Optional.empty());
  }

  FinishedApplication numbered(long next) {
    return with(next, tasks);
  }

  private FinishedApplication with(long newNumber, Optional<TaskReport> newTasks) {
    return new FinishedApplication(
        newNumber,
        name,
        user,
        clientVersion,
        outcome,
        finishedAt,
        durationMs,
        shuffles,
        fallbacks,
        newTasks);
  }

  /** Estimated bytes in the metadata log, at least; in memory about twice as many. */
  public long bytes() {
    long bytes =
        FIXED_BYTES
            + (long) name.length()
            + user.length()
            + clientVersion.length()
            + fallbacks.lastReason().length();
    if (tasks.isPresent()) {
      bytes += ENTRY_BYTES * (1L + tasks.get().shuffles().size());
      for (TaskReport.ServerTime server : tasks.get().servers()) {
        bytes += ENTRY_BYTES + server.server().length();
      }
    }
    return bytes;
  }
}
