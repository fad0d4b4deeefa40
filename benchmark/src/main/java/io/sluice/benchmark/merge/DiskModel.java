package io.sluice.benchmark.merge;

/**
 * A disk with one head: a request that does not begin where the last one ended costs a seek, and
 * every byte costs its share of the bandwidth. No queue, no cache, no read-ahead. Not thread-safe.
 */
final class DiskModel {
  private static final double BYTES_PER_MB = 1e6;

  private final double seekSeconds;
  private final double secondsPerByte;
  private Object file;
  private long position;
  private long requests;
  private long seeks;
  private long bytes;

  /**
   * @param seekMs moving the head and waiting for the sector
   * @param megabytesPerSecond once there; 10^6 bytes
   */
  DiskModel(double seekMs, double megabytesPerSecond) {
    this.seekSeconds = seekMs / 1e3;
    this.secondsPerByte = 1 / (megabytesPerSecond * BYTES_PER_MB);
  }

  /**
   * A read or a write.
   *
   * @param at the file, compared by identity
   */
  void request(Object at, long offset, long length) {
    requests++;
    if (at != file || offset != position) {
      seeks++;
    }
    bytes += length;
    file = at;
    position = offset + length;
  }

  /** Begins to count anew. */
  void reset() {
    file = null;
    requests = 0;
    seeks = 0;
    bytes = 0;
  }

  long requests() {
    return requests;
  }

  long seeks() {
    return seeks;
  }

  double seconds() {
    return seeks * seekSeconds + bytes * secondsPerByte;
  }
}
