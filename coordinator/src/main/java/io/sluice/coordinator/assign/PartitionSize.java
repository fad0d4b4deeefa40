package io.sluice.coordinator.assign;

/**
 * What a partition weighs on the average, learnt from what servers report. Immutable.
 *
 * <p>Partitions handed out since a server's last heartbeat must be set against the bytes that it
 * reported, so they need a size in bytes. Nobody knows it beforehand, but over time bytes pushed
 * divided by partitions assigned is just that. It need not be exact: a third or three times the
 * true mean balance nearly as well (docs/assignment.md). Pushes of shuffles that another
 * coordinator assigned count too, and make the estimate too large by at most the number of
 * coordinators.
 *
 * @param pushedBytes bytes that were pushed, older ones counting less
 * @param partitions partitions that were assigned, copies counted, older ones counting less
 */
public record PartitionSize(double pushedBytes, double partitions) {
  /** Before anything is known: 8 MiB, with the weight of a few shuffles. */
  public static final PartitionSize UNKNOWN = new PartitionSize(1000.0 * (8 << 20), 1000);

  /**
   * Beyond this weight everything learnt so far is halved, so that the estimate follows what the
   * cluster does now.
   */
  private static final double FULL_WEIGHT = 1e6;

  /**
   * Never nothing: partitions handed out weigh something even on a cluster whose shuffles are
   * empty.
   */
  private static final double MIN_BYTES = 64 << 10;

  private static final double MAX_BYTES = 1 << 30;

  /** The estimate after a heartbeat. */
  public PartitionSize observed(double morePushedBytes, int morePartitions) {
    double bytes = pushedBytes + morePushedBytes;
    double count = partitions + morePartitions;
    return count > FULL_WEIGHT
        ? new PartitionSize(bytes / 2, count / 2)
        : new PartitionSize(bytes, count);
  }

  /** The mean, in bytes. */
  public double expectedBytes() {
    return Math.min(MAX_BYTES, Math.max(MIN_BYTES, pushedBytes / partitions));
  }
}
