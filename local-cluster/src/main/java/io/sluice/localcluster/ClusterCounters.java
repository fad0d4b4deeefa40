package io.sluice.localcluster;

import io.sluice.proto.GetStatusReply;

/**
 * Sum of the counters of several servers, since their start or over an interval. Values are bytes
 * unless the name names another unit.
 */
public record ClusterCounters(
    long pushedBlocks,
    long pushedBytes,
    long spilledBytes,
    long opens,
    long fetches,
    long fetchedBytes,
    long fetchedFromMemoryBytes) {

  public static final ClusterCounters ZERO = new ClusterCounters(0, 0, 0, 0, 0, 0, 0);

  static ClusterCounters of(GetStatusReply status) {
    return new ClusterCounters(
        status.getPushedBlocks(),
        status.getPushedBytes(),
        status.getSpilledBytes(),
        status.getOpens(),
        status.getFetches(),
        status.getFetchedBytes(),
        status.getFetchedFromMemoryBytes());
  }

  public ClusterCounters plus(ClusterCounters other) {
    return new ClusterCounters(
        pushedBlocks + other.pushedBlocks,
        pushedBytes + other.pushedBytes,
        spilledBytes + other.spilledBytes,
        opens + other.opens,
        fetches + other.fetches,
        fetchedBytes + other.fetchedBytes,
        fetchedFromMemoryBytes + other.fetchedFromMemoryBytes);
  }

  /** Differences from an earlier reading. */
  public ClusterCounters since(ClusterCounters earlier) {
    return new ClusterCounters(
        pushedBlocks - earlier.pushedBlocks,
        pushedBytes - earlier.pushedBytes,
        spilledBytes - earlier.spilledBytes,
        opens - earlier.opens,
        fetches - earlier.fetches,
        fetchedBytes - earlier.fetchedBytes,
        fetchedFromMemoryBytes - earlier.fetchedFromMemoryBytes);
  }
}
