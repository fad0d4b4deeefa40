package io.sluice.spark.stats;

import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import java.io.IOException;

/** A read that adds its counters to the shuffle's statistics when it is closed. */
public final class CountedRead implements ShuffleRead {
  private final ShuffleRead read;
  private final ShuffleStatistics statistics;
  private boolean counted;

  /**
   * @param read takes
   */
  public CountedRead(ShuffleRead read, ShuffleStatistics statistics) {
    this.read = read;
    this.statistics = statistics;
  }

  @Override
  public ShuffleBlock next() throws IOException {
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
      statistics.add(ShuffleCounters.of(read.counters()));
    }
  }
}
