package io.sluice.coordinator.history;

/**
 * One sample of rates and stored bytes.
 *
 * @param atMs milliseconds since 1970
 * @param pushBytesPerSecond mean rate of pushes over the ten seconds before the latest heartbeat
 * @param fetchBytesPerSecond mean rate of fetches over the ten seconds before the latest heartbeat
 * @param storedBytes shuffle data in memory and on disk
 * @param memoryUsedBytes used part of the memory budget: stored data in memory, and buffers
 */
public record Throughput(
    long atMs,
    long pushBytesPerSecond,
    long fetchBytesPerSecond,
    long storedBytes,
    long memoryUsedBytes) {
  static Throughput zero(long atMs) {
    return new Throughput(atMs, 0, 0, 0, 0);
  }

  Throughput plus(Throughput other) {
    return new Throughput(
        atMs,
        pushBytesPerSecond + other.pushBytesPerSecond,
        fetchBytesPerSecond + other.fetchBytesPerSecond,
        storedBytes + other.storedBytes,
        memoryUsedBytes + other.memoryUsedBytes);
  }
}
