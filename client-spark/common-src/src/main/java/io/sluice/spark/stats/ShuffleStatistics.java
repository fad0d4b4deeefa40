package io.sluice.spark.stats;

import org.apache.spark.util.AccumulatorV2;

/**
 * Accumulator of a shuffle's counters. The shuffle's handle carries it to tasks; a successful task
 * returns its counters to the driver with its result. As thread-safe as Spark's accumulators: in a
 * task one thread adds; in the driver one thread merges and any thread may read.
 */
public final class ShuffleStatistics extends AccumulatorV2<ShuffleCounters, ShuffleCounters> {
  private static final long serialVersionUID = 1L;

  private volatile ShuffleCounters sum = ShuffleCounters.ZERO;

  @Override
  public boolean isZero() {
    return sum.equals(ShuffleCounters.ZERO);
  }

  @Override
  public ShuffleStatistics copy() {
    ShuffleStatistics copy = new ShuffleStatistics();
    copy.sum = sum;
    return copy;
  }

  @Override
  public void reset() {
    sum = ShuffleCounters.ZERO;
  }

  @Override
  public void add(ShuffleCounters more) {
    sum = sum.plus(more);
  }

  @Override
  public void merge(AccumulatorV2<ShuffleCounters, ShuffleCounters> other) {
    add(other.value());
  }

  @Override
  public ShuffleCounters value() {
    return sum;
  }
}
