package io.sluice.server.read;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.disk.StorageKind;
import java.util.List;

/**
 * Configuration of reading run files for fetches.
 *
 * @param timeoutMs timeout of a read, from the time when it was queued for its disk
 * @param ssdThreads maximum number of concurrent reads on one SSD
 * @param hddThreads maximum number of concurrent reads on one HDD; more cause additional seeks
 * @param maxQueued maximum number of reads queued for one disk; further ones are refused
 * @param readAheadBytes bytes to read ahead if a partition is read sequentially; 0: none
 * @param dropBehind whether sent bytes are dropped from the page cache
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
              "Timeout of a disk read for a fetch; after it the client reads from"
                  + " another replica or retries. Raise it for slow disks, but keep it below"
                  + " rss.client.rpc.timeout.ms of clients.")
          .build();

  static final ConfigKey<Integer> SSD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.ssd")
          .defaultValue(DEFAULT.ssdThreads())
          .atLeast(1)
          .atMost(256)
          .doc(
              "Maximum number of concurrent reads on each SSD. Raise it if NVMe"
                  + " disks are idle while fetches wait.")
          .build();

  static final ConfigKey<Integer> HDD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.hdd")
          .defaultValue(DEFAULT.hddThreads())
          .atLeast(1)
          .atMost(256)
          .doc(
              "Maximum number of concurrent reads on each HDD. Raise it only for a"
                  + " RAID of several disks; a single disk would seek more.")
          .build();

  static final ConfigKey<Long> READ_AHEAD =
      ConfigKey.dataSize("rss.server.disk.read.ahead")
          .defaultValue((long) DEFAULT.readAheadBytes())
          .atLeast(0L)
          .atMost(256L << 20)
          .doc(
              "Number of bytes that an idle disk reads ahead for a client that"
                  + " reads a partition sequentially; 0 disables read-ahead. Lower it if memory"
                  + " for the page cache is scarce.")
          .build();

  static final ConfigKey<Boolean> DROP_BEHIND =
      ConfigKey.bool("rss.server.disk.read.drop.behind")
          .defaultValue(DEFAULT.dropBehind())
          .doc(
              "Whether sent bytes are dropped from the page cache, to keep data"
                  + " there that was not read yet. A second read of the same bytes then needs the"
                  + " disk again. Enable it if each partition is read once and memory is scarce.")
          .build();

  /** Configuration keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(TIMEOUT, SSD_THREADS, HDD_THREADS, READ_AHEAD, DROP_BEHIND);

  public DiskReadConfig {
    if (timeoutMs < 1 || ssdThreads < 1 || hddThreads < 1 || maxQueued < 1 || readAheadBytes < 0) {
      throw new IllegalArgumentException(
          "invalid limits of disk reads, readAheadBytes must be at least 0, the"
              + " others at least 1: timeoutMs="
              + timeoutMs
              + " ssdThreads="
              + ssdThreads
              + " hddThreads="
              + hddThreads
              + " maxQueued="
              + maxQueued
              + " readAheadBytes="
              + readAheadBytes);
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

  /** Maximum number of concurrent reads on a disk of a kind. */
  public int threads(StorageKind kind) {
    return switch (kind) {
      case SSD -> ssdThreads;
      case HDD -> hddThreads;
      // Reads wait for other machines, not for a local disk: same concurrency as an SSD.
      case REMOTE -> ssdThreads;
    };
  }
}
