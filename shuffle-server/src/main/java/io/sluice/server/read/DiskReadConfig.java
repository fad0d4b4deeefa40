package io.sluice.server.read;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.disk.StorageKind;
import java.util.List;

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

  static final ConfigKey<Long> TIMEOUT =
      ConfigKey.durationMs("rss.server.disk.read.timeout")
          .defaultValue((long) DEFAULT.timeoutMs())
          .atLeast(10L)
          .atMost(600_000L)
          .doc(
              "How long a fetch may wait for a disk; then the client asks another replica, or"
                  + " again. Keep it below rss.client.rpc.timeout.ms of clients. Raise both for slow"
                  + " disks.")
          .build();

  static final ConfigKey<Integer> SSD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.ssd")
          .defaultValue(DEFAULT.ssdThreads())
          .atLeast(1)
          .atMost(256)
          .doc(
              "Concurrent reads on each SSD. Raise it for NVMe disks that are not busy while"
                  + " fetches wait.")
          .build();

  static final ConfigKey<Integer> HDD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.hdd")
          .defaultValue(DEFAULT.hddThreads())
          .atLeast(1)
          .atMost(256)
          .doc(
              "Concurrent reads on each HDD. Raise it for a RAID of several disks; a single one"
                  + " would only seek more.")
          .build();

  static final ConfigKey<Long> READ_AHEAD =
      ConfigKey.dataSize("rss.server.disk.read.ahead")
          .defaultValue((long) DEFAULT.readAheadBytes())
          .atLeast(0L)
          .atMost(256L << 20)
          .doc(
              "How far an idle disk reads ahead for a client that reads a partition from front to"
                  + " back; 0: not at all. Lower it if memory for the page cache is scarce.")
          .build();

  static final ConfigKey<Boolean> DROP_BEHIND =
      ConfigKey.bool("rss.server.disk.read.drop.behind")
          .defaultValue(DEFAULT.dropBehind())
          .doc(
              "Whether sent bytes leave the page cache, to keep room for what was not read yet; a"
                  + " second read then costs the disk again. Set it if each partition is read once and"
                  + " memory is scarce.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(TIMEOUT, SSD_THREADS, HDD_THREADS, READ_AHEAD, DROP_BEHIND);

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

  public static DiskReadConfig from(ConfigSet set) {
    return new DiskReadConfig(
        Math.toIntExact(set.get(TIMEOUT)),
        set.get(SSD_THREADS),
        set.get(HDD_THREADS),
        DEFAULT.maxQueued,
        Math.toIntExact(set.get(READ_AHEAD)),
        set.get(DROP_BEHIND));
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
