package io.sluice.benchmark.merge;

/**
 * Cost model of a disk with one head. A request that does not continue the last one costs a seek;
 * each byte costs its share of the bandwidth. The model has no queue, cache or read-ahead. Not
 * thread-safe.
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
   * @param seekMs seek and rotation time
   * @param megabytesPerSecond sequential bandwidth; 1 MB = 10^6 bytes
   */
  DiskModel(double seekMs, double megabytesPerSecond) {
    this.seekSeconds = seekMs / 1e3;
    this.secondsPerByte = 1 / (megabytesPerSecond * BYTES_PER_MB);
  }

  /**
   * Adds the cost of a read or a write.
   *
   * @param target the file, compared by identity
   */
  void request(Object target, long offset, long length) {
    requests++;
    if (target != file || offset != position) {
      seeks++;
    }
    bytes += length;
    file = target;
    position = offset + length;
  }

  /** Resets the counters. */
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
