package io.sluice.coordinator.history;

/**
 * Rates and contents at one moment.
 *
 * @param atMs milliseconds since 1970
 * @param pushBytesPerSecond mean of the ten seconds before the latest heartbeat
 * @param fetchBytesPerSecond as above
 * @param storedBytes in memory and on disk
 * @param memoryUsedBytes part of the former that is in memory, and what else memory is used for
 */
public record Throughput(
    long atMs,
    long pushBytesPerSecond,
    long fetchBytesPerSecond,
    long storedBytes,
    long memoryUsedBytes) {
  static Throughput nothing(long atMs) {
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
