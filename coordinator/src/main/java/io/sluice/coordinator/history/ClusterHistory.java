package io.sluice.coordinator.history;

/**
 * History for operators; decisions do not depend on it. The state thread changes it, any thread
 * reads it. Thread-safe.
 */
public final class ClusterHistory {
  private final EventLog events = new EventLog();
  private final ShuffleLedger shuffles = new ShuffleLedger();
  private final TaskReports tasks = new TaskReports();
  private final ThroughputHistory throughput = new ThroughputHistory();

  /** Removes events and samples, before those of another coordinator are added. */
  public void clearLogged() {
    events.clear();
    throughput.clear();
  }

  public EventLog events() {
    return events;
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
