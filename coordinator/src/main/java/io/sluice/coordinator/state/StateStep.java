package io.sluice.coordinator.state;

import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.TaskReports;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Changes of a round before they are published. Used by the state thread only. */
final class StateStep {
  private final Instant at;
  private final String logProblem;
  private final boolean following;
  private final FinishRecorder finishes;
  private final List<MetadataRecord> records = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<LoggedChange> logged = new ArrayList<>();
  private final List<LoggedChange> waiting = new ArrayList<>();
  private ClusterView view;

  /**
   * @param view the view before the round
   * @param at wall clock time of the round
   * @param logProblem reason why the log cannot be used in this round; null: it can
   * @param following whether another coordinator decides
   * @param reports reports of drivers before the round
   */
  StateStep(
      ClusterView view, Instant at, String logProblem, boolean following, TaskReports reports) {
    this.view = view;
    this.at = at;
    this.logProblem = logProblem;
    this.following = following;
    this.finishes = new FinishRecorder(reports, at, logProblem != null);
  }

  Instant at() {
    return at;
  }

  String logProblem() {
    return logProblem;
  }

  boolean isFollowing() {
    return following;
  }

  /** The view after the changes. */
  ClusterView view() {
    return view;
  }

  List<MetadataRecord> records() {
    return records;
  }

  List<Event> events() {
    return events;
  }

  /** Changes to append to the log. */
  List<LoggedChange> logged() {
    return logged;
  }

  /** Changes of the history that wait because the log cannot be written. */
  List<LoggedChange> waiting() {
    return waiting;
  }

  boolean logs() {
    return !logged.isEmpty();
  }

  /** Whether a decision fails because the log cannot be written. */
  boolean refuses(Decision<?> decision) {
    return logProblem != null
        && decision.withoutLog() == Decision.WithoutLog.FAIL
        && decision.records().stream()
            .anyMatch(
                record ->
                    record instanceof LoggedChange
                        && !(record instanceof LoggedChange.AlsoWithoutLog));
  }

  void add(MetadataRecord record) {
    if (following) {
      if (record instanceof MetadataRecord.InMemory) {
        records.add(record);
        view = record.applyTo(view);
      }
      return;
    }
    if (record instanceof LoggedChange change) {
      if (logProblem == null) {
        logged.add(change);
      } else if (!(record instanceof LoggedChange.AlsoWithoutLog)) {
        return;
      }
    }
    record.events(view).forEach(this::add);
    finishes.entry(record, view).ifPresent(this::addToHistory);
    records.add(record);
    view = record.applyTo(view);
  }

  void add(Event event) {
    if (following) {
      return;
    }
    events.add(event);
    if (event.isListed()) {
      addToHistory(listed(event, at));
    }
  }

  private void addToHistory(LoggedChange change) {
    (logProblem == null ? logged : waiting).add(change);
  }

  static LoggedChange listed(Event event, Instant at) {
    return new LoggedChange.EventListed(ClusterEvent.happened(event, at));
  }
}
