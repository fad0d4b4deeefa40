package io.sluice.common.run;

/**
 * Order of the runs of a shuffle, by the arrival of their first block.
 *
 * @param epoch epoch of the server at the arrival of the first block
 * @param arrival number of the first block's push frame within the shuffle and the epoch
 */
public record RunOrder(long epoch, long arrival) implements Comparable<RunOrder> {
  @Override
  public int compareTo(RunOrder other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(arrival, other.arrival);
  }
}
