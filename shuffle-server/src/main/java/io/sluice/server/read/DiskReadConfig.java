package io.sluice.server.read;

import io.sluice.server.disk.StorageKind;

/**
 * How run files are read for fetches.
 *
 * @param timeoutMs how long a disk may take, from when a read is queued for it
 * @param ssdThreads reads at a time on one SSD
 * @param hddThreads reads at a time on one HDD: more only make it seek
 * @param maxQueued reads that may wait for one disk; further ones are refused
 * @param readAheadBytes that a disk is told of when a partition is read from front to back; 0: none
 * @param dropBehind whether the page cache forgets what was sent
 */
public record DiskReadConfig(
    int timeoutMs,
    int ssdThreads,
    int hddThreads,
    int maxQueued,
    int readAheadBytes,
    boolean dropBehind) {
  public static final DiskReadConfig DEFAULT =
      new DiskReadConfig(20_000, 8, 2, 4_096, 4 << 20, false);

  public DiskReadConfig {
    if (timeoutMs < 1 || ssdThreads < 1 || hddThreads < 1 || maxQueued < 1 || readAheadBytes < 0) {
      throw new IllegalArgumentException(
          "reading: every limit must be at least 1: timeoutMs="
              + timeoutMs
              + " ssdThreads="
              + ssdThreads
              + " hddThreads="
              + hddThreads
              + " maxQueued="
              + maxQueued);
    }
  }

  /** Reads at a time on a disk of a kind. */
  public int threads(StorageKind kind) {
    return switch (kind) {
      case SSD -> ssdThreads;
      case HDD -> hddThreads;
      // Waiting there is waiting for other machines: as many at a time as on what answers fast.
      case REMOTE -> ssdThreads;
    };
  }
}
