package io.sluice.coordinator.history;

/**
 * What is remembered for operators beside the state that decisions need. Its three parts are
 * changed by the thread of the state and read by any. Thread-safe.
 */
public final class ClusterHistory {
  private final EventLog events = new EventLog();
  private final ShuffleLedger shuffles = new ShuffleLedger();
  private final ThroughputHistory throughput = new ThroughputHistory();

  public EventLog events() {
    return events;
  }

  public ShuffleLedger shuffles() {
    return shuffles;
  }

  public ThroughputHistory throughput() {
    return throughput;
  }
}
