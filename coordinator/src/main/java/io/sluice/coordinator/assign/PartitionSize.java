package io.sluice.coordinator.assign;

/**
 * Estimate of the mean partition size, computed from heartbeats. Immutable.
 *
 * <p>The load model adds partitions assigned since the last heartbeat to reported bytes, so it
 * needs a partition size. The estimate is pushed bytes divided by assigned partitions. It need not
 * be exact: an error of a factor of three hardly changes the balance (docs/assignment.md). Pushes
 * of shuffles that other coordinators assigned count too, so the estimate is too large by at most
 * the number of coordinators.
 *
 * @param pushedBytes pushed bytes; older bytes count less
 * @param partitions assigned partitions, replicas counted; older partitions count less
 */
public record PartitionSize(double pushedBytes, double partitions) {
  /** Initial estimate: 8 MiB, with the weight of a few shuffles. */
  public static final PartitionSize UNKNOWN = new PartitionSize(1000.0 * (8 << 20), 1000);

  /**
   * Number of partitions above which both sums are halved, so that the estimate follows the current
   * workload.
   */
  private static final double FULL_WEIGHT = 1e6;

  /**
   * Minimum estimate, so that assigned partitions add to the load even if all shuffles are empty.
   */
  private static final double MIN_BYTES = 64 << 10;

  private static final double MAX_BYTES = 1 << 30;

  /** Returns the estimate after a heartbeat. */
  public PartitionSize observed(double morePushedBytes, int morePartitions) {
    double bytes = pushedBytes + morePushedBytes;
    double count = partitions + morePartitions;
    return count > FULL_WEIGHT
        ? new PartitionSize(bytes / 2, count / 2)
        : new PartitionSize(bytes, count);
  }

  /** Returns the estimated mean in bytes. */
  public double expectedBytes() {
    return Math.min(MAX_BYTES, Math.max(MIN_BYTES, pushedBytes / partitions));
  }
}
