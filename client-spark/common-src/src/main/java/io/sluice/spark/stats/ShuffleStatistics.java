package io.sluice.spark.stats;

import org.apache.spark.util.AccumulatorV2;

/**
 * The sum of what tasks did with a shuffle. Travels in the shuffle's handle; what a task adds comes
 * back to the driver with the task's result, if it ended well. Thread-safe as Spark's accumulators
 * are: in a task one thread adds, in the driver one merges and any may look.
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
