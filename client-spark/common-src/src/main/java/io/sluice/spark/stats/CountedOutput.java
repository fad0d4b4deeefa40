package io.sluice.spark.stats;

import io.sluice.client.push.PushCounters;
import io.sluice.spark.write.MapOutput;
import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/** An output that adds what became of it to a shuffle's statistics when it is closed. */
public final class CountedOutput implements MapOutput {
  private final MapOutput output;
  private final ShuffleStatistics statistics;
  private boolean counted;

  /**
   * @param output takes
   */
  public CountedOutput(MapOutput output, ShuffleStatistics statistics) {
    this.output = output;
    this.statistics = statistics;
  }

  @Override
  public void add(int partition, byte[] bytes, int length, int records) throws IOException {
    output.add(partition, bytes, length, records);
  }

  @Override
  public void beginFinalPass() {
    output.beginFinalPass();
  }

  @Override
  public void finish() throws IOException {
    output.finish();
  }

  @Override
  public long[] partitionLengths() {
    return output.partitionLengths();
  }

  @Override
  public BlockManagerId location() {
    return output.location();
  }

  @Override
  public PushCounters counters() {
    return output.counters();
  }

  @Override
  public void close() {
    output.close();
    if (!counted) {
      counted = true;
      statistics.add(ShuffleCounters.of(output.counters()));
    }
  }
}
