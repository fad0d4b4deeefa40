package io.sluice.coordinator.assign;

/**
 * The operator's rules of assignment.
 *
 * @param maxServersPerShuffle most servers that one shuffle is spread over; more servers mean more
 *     connections from each task, not more speed
 * @param maxStorageUsedShare share of a server's storage beyond which it is nearly full and takes
 *     no new shuffle, 0 exclusive to 1
 */
public record AssignmentPolicy(
    StrategyKind strategy,
    HostRule hostRule,
    int maxServersPerShuffle,
    double maxStorageUsedShare) {
  public AssignmentPolicy {
    if (maxServersPerShuffle < 1) {
      throw new IllegalArgumentException(
          "servers of a shuffle: expected at least 1, found " + maxServersPerShuffle);
    }
    if (!(maxStorageUsedShare > 0 && maxStorageUsedShare <= 1)) {
      throw new IllegalArgumentException(
          "share of used storage: expected more than 0 and at most 1, found "
              + maxStorageUsedShare);
    }
  }
}
