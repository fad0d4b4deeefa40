package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.NewestAssignments;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Requests newer assignments from the driver for one read and remembers the newest that the read
 * used. Thread-safe.
 */
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

  /** Whether the driver knows a newer assignment than the read. Waits for a bounded time. */
  public boolean isOutdated() {
    ShuffleAssignment used = known.get();
    return driver.awaitNewest(used).generation() > used.generation();
  }
}
