package io.sluice.common.run;

/**
 * Where a run stands among those of its shuffle: by the first block in it.
 *
 * @param epoch of the server when that block came
 * @param arrival number, within the shuffle and the epoch, of the push frame that brought it
 */
public record RunOrder(long epoch, long arrival) implements Comparable<RunOrder> {
  @Override
  public int compareTo(RunOrder other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(arrival, other.arrival);
  }
}
