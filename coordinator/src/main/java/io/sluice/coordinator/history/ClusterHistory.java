package io.sluice.coordinator.history;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.coordinator.state.Event;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that is remembered for people, and the thread that samples it. Thread-safe. */
public final class ClusterHistory implements StateOwner.Watcher, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterHistory.class);

  private final Clock clock;
  private final EventLog events;
  private final ShuffleLedger shuffles;
  private final ThroughputHistory throughput;
  private final ScheduledExecutorService sampler =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-history", true));

  public ClusterHistory(Clock clock, LongSupplier serverLostAfterMs) {
    this.clock = clock;
    this.events = new EventLog(clock);
    this.shuffles = new ShuffleLedger(clock);
    this.throughput = new ThroughputHistory(serverLostAfterMs);
  }

  /** Begins to take samples. */
  public void start(StateOwner owner) {
    Future<?> unused =
        sampler.scheduleAtFixedRate(
            () -> sample(owner),
            ThroughputHistory.INTERVAL_MS,
            ThroughputHistory.INTERVAL_MS,
            TimeUnit.MILLISECONDS);
  }

  public EventLog events() {
    return events;
  }

  public ShuffleLedger shuffles() {
    return shuffles;
  }

  public ThroughputHistory throughput() {
    return throughput;
  }

  @Override
  public void changed(MetadataRecord record, List<Event> happened) {
    happened.forEach(events::add);
    shuffles.changed(record);
  }

  @Override
  public void close() {
    sampler.shutdownNow();
  }

  private void sample(StateOwner owner) {
    try {
      throughput.sample(owner.view(), owner.nowMs(), clock.millis());
    } catch (RuntimeException e) {
      // An exception would end the sampling for good.
      log.error("throughput not sampled", e);
    }
  }
}
