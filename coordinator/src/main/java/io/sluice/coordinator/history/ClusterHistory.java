package io.sluice.coordinator.history;

/**
 * History for operators; decisions do not depend on it. The state thread changes it, any thread
 * reads it. Thread-safe.
 */
public final class ClusterHistory {
  private final EventLog events = new EventLog();
  private final FinishedApplications finished = new FinishedApplications();
  private final ShuffleLedger shuffles = new ShuffleLedger();
  private final TaskReports tasks = new TaskReports();
  private final ThroughputHistory throughput = new ThroughputHistory();

  /** Removes what is logged, before the log of another coordinator is added. */
  public void clearLogged() {
    events.clear();
    finished.clear();
    throughput.clear();
  }

  public EventLog events() {
    return events;
  }

  public FinishedApplications finished() {
    return finished;
  }

  public ShuffleLedger shuffles() {
    return shuffles;
  }

  public TaskReports tasks() {
    return tasks;
  }

  public ThroughputHistory throughput() {
    return throughput;
  }
}
