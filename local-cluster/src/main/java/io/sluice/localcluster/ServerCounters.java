package io.sluice.localcluster;

import io.sluice.proto.GetStatusReply;

/**
 * What servers have counted, in bytes unless the name says otherwise; since their start, or between
 * two moments.
 */
public record ServerCounters(
    long pushedBlocks,
    long pushedBytes,
    long spilledBytes,
    long opens,
    long fetches,
    long fetchedBytes,
    long fetchedFromMemoryBytes) {

  public static final ServerCounters ZERO = new ServerCounters(0, 0, 0, 0, 0, 0, 0);

  static ServerCounters of(GetStatusReply status) {
    return new ServerCounters(
        status.getPushedBlocks(),
        status.getPushedBytes(),
        status.getSpilledBytes(),
        status.getOpens(),
        status.getFetches(),
        status.getFetchedBytes(),
        status.getFetchedFromMemoryBytes());
  }

  public ServerCounters plus(ServerCounters other) {
    return new ServerCounters(
        pushedBlocks + other.pushedBlocks,
        pushedBytes + other.pushedBytes,
        spilledBytes + other.spilledBytes,
        opens + other.opens,
        fetches + other.fetches,
        fetchedBytes + other.fetchedBytes,
        fetchedFromMemoryBytes + other.fetchedFromMemoryBytes);
  }

  /** What was counted since {@code earlier}. */
  public ServerCounters since(ServerCounters earlier) {
    return new ServerCounters(
        pushedBlocks - earlier.pushedBlocks,
        pushedBytes - earlier.pushedBytes,
        spilledBytes - earlier.spilledBytes,
        opens - earlier.opens,
        fetches - earlier.fetches,
        fetchedBytes - earlier.fetchedBytes,
        fetchedFromMemoryBytes - earlier.fetchedFromMemoryBytes);
  }
}
