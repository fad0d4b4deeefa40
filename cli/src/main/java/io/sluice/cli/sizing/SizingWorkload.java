package io.sluice.cli.sizing;

/**
 * What jobs ask of a cluster at its busiest.
 *
 * @param hourBytes that all jobs shuffle in the busiest hour
 * @param peakBytesPerSecond most that they write
 * @param readBytesPerSecond that they read meanwhile
 * @param lifetimeMs of a shuffle, from its first push to its job's end
 * @param largestBytes of the largest shuffle
 * @param replicas copies of each partition
 * @param executors processes that push and read
 * @param shuffles that are held at the same time
 * @param partitions of one of them
 * @param maps tasks that push to one of them
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

  /** Bytes that servers hold at a time, copies counted. */
  double liveBytes() {
    return Math.max(hourBytes * (lifetimeMs / HOUR_MS), (double) largestBytes) * replicas;
  }

  /** What servers are sent, copies counted. */
  double pushedBytesPerSecond() {
    return (double) peakBytesPerSecond * replicas;
  }
}
