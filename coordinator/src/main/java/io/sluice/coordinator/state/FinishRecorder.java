package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.FinishedApplication.Outcome;
import io.sluice.coordinator.history.TaskReports;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the entries of the history for applications that end or expire in one round. Used by one
 * thread.
 *
 * <p>A batch of the log is limited, and all applications can expire in one round. So an entry has
 * no report if the entries of the round would exceed {@link #MAX_BYTES_WITH_REPORTS}, or if it has
 * to wait for the log. An application gets no entry if they would exceed {@link #MAX_BYTES}.
 */
final class FinishRecorder {
  /** Bytes of all entries of a round beyond which entries have no report. */
  static final long MAX_BYTES_WITH_REPORTS = 1 << 20;

  /** Maximum bytes of all entries of a round. */
  static final long MAX_BYTES = 2 << 20;

  private final TaskReports reports;
  private final Instant at;
  private final boolean waits;

  /** Reports of this round, which {@code reports} does not have yet. */
  private final Map<String, TaskReport> reported = new HashMap<>();

  private long bytes;

  /**
   * @param at wall clock time of the round
   * @param waits whether the entries wait because the log cannot be written
   */
  FinishRecorder(TaskReports reports, Instant at, boolean waits) {
    this.reports = reports;
    this.at = at;
    this.waits = waits;
  }

  /**
   * Returns the entry of an application that the record ends.
   *
   * @param before the view before the record
   */
  Optional<LoggedChange> entry(MetadataRecord record, ClusterView before) {
    if (record instanceof MetadataRecord.TasksReported tasks) {
      reported.put(tasks.application(), tasks.report());
    } else if (record instanceof LoggedChange.ApplicationEnded ended) {
      return entry(before, ended.application().name(), Outcome.ENDED, ended.application());
    } else if (record instanceof LoggedChange.ApplicationExpired expired) {
      Application known = before.applications().get(expired.application());
      return known == null
          ? Optional.empty()
          : entry(
              before,
              expired.application(),
              Outcome.EXPIRED,
              known.ended(known.sinceMs() + expired.silentMs()));
    }
    return Optional.empty();
  }

  private Optional<LoggedChange> entry(
      ClusterView before, String name, Outcome outcome, Application ended) {
    Application known = before.applications().get(name);
    if (known == null || known.state() != Application.State.LIVE) {
      // A driver ends an application that this coordinator does not know.
      return Optional.empty();
    }
    TaskReport inRound = reported.remove(name);
    FinishedApplication whole =
        FinishedApplication.of(
            ended,
            outcome,
            ended.sinceMs(),
            at,
            inRound != null ? Optional.of(inRound) : reports.of(name));
    boolean withTasks = !waits && bytes + whole.bytes() <= MAX_BYTES_WITH_REPORTS;
    FinishedApplication fitting = withTasks ? whole : whole.withoutTasks();
    if (bytes + fitting.bytes() > MAX_BYTES) {
      return Optional.empty();
    }
    bytes += fitting.bytes();
    return Optional.of(new LoggedChange.ApplicationFinished(fitting));
  }
}
