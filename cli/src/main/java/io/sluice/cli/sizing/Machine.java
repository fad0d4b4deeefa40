package io.sluice.cli.sizing;

import java.util.Locale;

/**
 * Hardware of one server.
 *
 * @param linkBytesPerSecond network bandwidth
 * @param disks number of disks (directories in rss.storage.basePath)
 * @param diskBytes size of one disk
 * @param diskBytesPerSecond write bandwidth of one disk
 */
record Machine(
    int cores,
    long memoryBytes,
    double linkBytesPerSecond,
    int disks,
    DiskKind diskKind,
    long diskBytes,
    long diskBytesPerSecond) {

  /** Kind of disk. */
  enum DiskKind {
    /** Concurrent reads and writes, little merging. */
    SSD(20, 0.0001),
    /** Most data is merged, so every byte is written and read twice, with seeks in between. */
    HDD(60, 0.010);

    private final int bufferSeconds;
    private final double seekSeconds;

    DiskKind(int bufferSeconds, double seekSeconds) {
      this.bufferSeconds = bufferSeconds;
      this.seekSeconds = seekSeconds;
    }

    /** Seconds of pushes that fit in the buffer; more makes larger runs. */
    int bufferSeconds() {
      return bufferSeconds;
    }

    double seekSeconds() {
      return seekSeconds;
    }

    /** Value of the option. */
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
