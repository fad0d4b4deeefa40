package io.sluice.spark.stats;

import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * A read that adds its counters and its duration to the shuffle's statistics when it is closed.
 * Owned by the task thread.
 */
public final class CountedRead implements ShuffleRead {
  private final ShuffleRead read;
  private final ShuffleStatistics statistics;
  private final LongSupplier nanoTime;
  private boolean started;
  private long startedNanos;
  private boolean counted;

  /**
   * @param read takes
   */
  public CountedRead(ShuffleRead read, ShuffleStatistics statistics, LongSupplier nanoTime) {
    this.read = read;
    this.statistics = statistics;
    this.nanoTime = nanoTime;
  }

  @Override
  public ShuffleBlock next() throws IOException {
    if (!started) {
      started = true;
      startedNanos = nanoTime.getAsLong();
    }
    return read.next();
  }

  @Override
  public ReadCounters counters() {
    return read.counters();
  }

  @Override
  public void close() {
    read.close();
    if (!counted) {
      counted = true;
      long durationNanos = started ? nanoTime.getAsLong() - startedNanos : 0;
      statistics.add(ShuffleCounters.of(read.counters(), durationNanos));
    }
  }
}
