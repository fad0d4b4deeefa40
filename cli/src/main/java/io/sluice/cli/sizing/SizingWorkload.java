package io.sluice.cli.sizing;

/**
 * Load of a cluster in its busiest hour.
 *
 * @param hourBytes shuffle bytes of all jobs in the busiest hour
 * @param peakBytesPerSecond peak of bytes written per second
 * @param readBytesPerSecond bytes read per second during the peak
 * @param lifetimeMs lifetime of a shuffle, from its first push to the end of its job
 * @param largestBytes size of the largest shuffle
 * @param replicas number of copies of each partition
 * @param executors number of processes that push and read
 * @param shuffles number of concurrent shuffles
 * @param partitions number of partitions of a shuffle
 * @param maps number of map tasks of a shuffle
 */
record SizingWorkload(
    long hourBytes,
    long peakBytesPerSecond,
    long readBytesPerSecond,
    long lifetimeMs,
    long largestBytes,
    int replicas,
    int executors,
    int shuffles,
    int partitions,
    int maps) {
  private static final double HOUR_MS = 3_600_000;

  /** Bytes stored at one time, including copies. */
  double liveBytes() {
    return Math.max(hourBytes * (lifetimeMs / HOUR_MS), (double) largestBytes) * replicas;
  }

  /** Bytes pushed per second at the peak, including copies. */
  double pushedBytesPerSecond() {
    return (double) peakBytesPerSecond * replicas;
  }
}
