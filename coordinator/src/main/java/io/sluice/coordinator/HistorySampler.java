package io.sluice.coordinator;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.coordinator.history.ThroughputHistory;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that samples throughput and logs the samples of each minute as one record. The owner
 * calls {@link #start}, and calls {@link #close} before it closes the {@link StateOwner}.
 */
final class HistorySampler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HistorySampler.class);

  private static final long CLOSE_WAIT_MS = 1000;

  private final StateOwner owner;
  private final ThroughputHistory throughput;
  private final LongSupplier serverLostAfterMs;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-history", true));

  /** The batch being logged; used by one thread at a time. */
  private CompletableFuture<Integer> logging = CompletableFuture.completedFuture(0);

  HistorySampler(StateOwner owner, ThroughputHistory throughput, LongSupplier serverLostAfterMs) {
    this.owner = owner;
    this.throughput = throughput;
    this.serverLostAfterMs = serverLostAfterMs;
  }

  void start() {
    Future<?> unused =
        executor.scheduleAtFixedRate(
            this::sample,
            ThroughputHistory.INTERVAL_MS,
            ThroughputHistory.INTERVAL_MS,
            TimeUnit.MILLISECONDS);
  }

  private void sample() {
    try {
      if (!owner.leads()) {
        // The samples come with the log.
        return;
      }
      ClusterView view = owner.view();
      throughput.sample(
          view.servers(), view.excluded(), serverLostAfterMs.getAsLong(), owner.nowMs());
      logAtLeast(ThroughputHistory.BATCH_SAMPLES);
    } catch (RuntimeException e) {
      // An exception would stop the periodic task.
      log.error("throughput could not be sampled", e);
    }
  }

  /** Logs the waiting samples as one batch. If that fails, they are part of the next batch. */
  private void logAtLeast(int samples) {
    if (logging.isDone() && throughput.unlogged(samples).isPresent()) {
      logging =
          owner.submit(
              (view, nowMs) -> {
                List<MetadataRecord> records =
                    throughput
                        .unlogged(samples)
                        .<List<MetadataRecord>>map(
                            batch -> List.of(new LoggedChange.ThroughputSampled(batch)))
                        .orElse(List.of());
                return new Decision<>(records, records.size());
              });
    }
  }

  /** Stops sampling and logs the last samples. */
  @Override
  public void close() {
    executor.shutdownNow();
    try {
      if (executor.awaitTermination(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS)) {
        logAtLeast(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
