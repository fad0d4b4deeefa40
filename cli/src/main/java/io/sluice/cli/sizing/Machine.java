package io.sluice.cli.sizing;

import java.util.Locale;

/**
 * What one server is, or would be.
 *
 * @param linkBytesPerSecond of its network
 * @param disks directories in rss.storage.basePath
 * @param diskBytes of one disk
 * @param diskBytesPerSecond that one disk writes
 */
record Machine(
    int cores,
    long memoryBytes,
    double linkBytesPerSecond,
    int disks,
    DiskKind diskKind,
    long diskBytes,
    long diskBytesPerSecond) {

  /** What a disk is good at. */
  enum DiskKind {
    /** Reads beside writes, and merges little. */
    SSD(20, 0.0001),
    /** Merges most, so that every byte is written and read twice, and both take turns. */
    HDD(60, 0.010);

    private final int bufferSeconds;
    private final double seekSeconds;

    DiskKind(int bufferSeconds, double seekSeconds) {
      this.bufferSeconds = bufferSeconds;
      this.seekSeconds = seekSeconds;
    }

    /** For how long a buffer takes up pushes: the longer, the larger are the runs. */
    int bufferSeconds() {
      return bufferSeconds;
    }

    double seekSeconds() {
      return seekSeconds;
    }

    /** As an option's value. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  double allDisksBytes() {
    return (double) disks * diskBytes;
  }

  double allDisksBytesPerSecond() {
    return (double) disks * diskBytesPerSecond;
  }
}
