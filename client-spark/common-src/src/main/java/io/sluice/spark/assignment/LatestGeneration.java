package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.NewestAssignments;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/** Asks the driver for one read, and remembers what the read has learnt. Thread-safe. */
public final class LatestGeneration implements NewestAssignments {
  private final DriverReplacementServers driver;
  private final AtomicReference<ShuffleAssignment> known;

  public LatestGeneration(DriverReplacementServers driver, ShuffleAssignment first) {
    this.driver = driver;
    this.known = new AtomicReference<>(first);
  }

  @Override
  public CompletionStage<ShuffleAssignment> newest(ShuffleAssignment read) {
    return driver
        .newest(read)
        .thenApply(
            answer ->
                known.accumulateAndGet(
                    answer,
                    (before, now) -> now.generation() > before.generation() ? now : before));
  }

  /** Whether there are servers that the read has not heard of. Waits for a bounded time. */
  public boolean isOutdated() {
    ShuffleAssignment heard = known.get();
    return driver.awaitNewest(heard).generation() > heard.generation();
  }
}
