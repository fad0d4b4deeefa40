package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.read.DiskReadConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How run files are read.
 *
 * @param budgetBytes of replies being read or sent at a time
 * @param disks how each disk is read
 * @param socket where clients on this host get run files; empty: nowhere
 */
public record ReadingConfig(long budgetBytes, DiskReadConfig disks, Optional<Path> socket) {
  private static final long BY_RATIO = -1;

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.read.buffer.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(
              BY_RATIO, "rss.server.read.buffer.capacity.ratio of rss.server.buffer.capacity")
          .atLeast(1L << 20)
          .doc(
              "Maximum number of bytes of replies to fetches that are being read or have not left"
                  + " the server: bytes of run files, and with TLS or GRPC up to 256KiB more of each"
                  + " reply, which are copied. Further fetches wait, in turn by application and"
                  + " connection; one application gets at most half, one connection an eighth, or"
                  + " one fetch. Bytes of files lie in the page cache where the system tells what"
                  + " that holds, else in memory beside the server's buffer; copies lie beside it.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.read.buffer.capacity.ratio")
          .defaultValue(0.2)
          .atLeast(0.001)
          .atMost(10.0)
          .doc(
              "rss.server.read.buffer.capacity as a share of the server's buffer, when that is -1.")
          .build();

  static final ConfigKey<Long> TIMEOUT =
      ConfigKey.durationMs("rss.server.disk.read.timeout")
          .defaultValue((long) DiskReadConfig.DEFAULT.timeoutMs())
          .atLeast(10L)
          .atMost(600_000L)
          .doc(
              "How long a fetch may wait for a disk. Then it is refused, and the client turns to"
                  + " another copy, or asks again. Less than the clients' rss.client.rpc.timeout.ms.")
          .build();

  static final ConfigKey<Integer> SSD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.ssd")
          .defaultValue(DiskReadConfig.DEFAULT.ssdThreads())
          .atLeast(1)
          .atMost(256)
          .doc("Reads at a time on each SSD.")
          .build();

  static final ConfigKey<Integer> HDD_THREADS =
      ConfigKey.integer("rss.server.disk.read.threads.hdd")
          .defaultValue(DiskReadConfig.DEFAULT.hddThreads())
          .atLeast(1)
          .atMost(256)
          .doc("Reads at a time on each HDD; more make it seek between them.")
          .build();

  static final ConfigKey<Long> READ_AHEAD =
      ConfigKey.dataSize("rss.server.disk.read.ahead")
          .defaultValue((long) DiskReadConfig.DEFAULT.readAheadBytes())
          .atLeast(0L)
          .atMost(256L << 20)
          .doc(
              "How far ahead an idle disk reads for a client that reads a partition from front to"
                  + " back; 0: not at all.")
          .build();

  static final ConfigKey<Boolean> DROP_BEHIND =
      ConfigKey.bool("rss.server.disk.read.drop.behind")
          .defaultValue(DiskReadConfig.DEFAULT.dropBehind())
          .doc(
              "Whether the page cache is told to forget what a fetch has sent, so that it keeps what"
                  + " was not read yet. Reading it again then costs the disk a second time.")
          .build();

  static final ConfigKey<Boolean> SHORT_CIRCUIT =
      ConfigKey.bool("rss.server.shortcircuit.enabled")
          .defaultValue(true)
          .doc(
              "Whether clients on this host may read run files themselves: over a Unix domain"
                  + " socket the server hands them open descriptors, for reading only.")
          .build();

  static final ConfigKey<String> SOCKET =
      ConfigKey.string("rss.server.shortcircuit.socket")
          .check(path -> path.startsWith("/"), "an absolute path")
          .doc(
              "Path of that socket, at most 107 bytes; when not set, sluice.sock in the first"
                  + " directory of rss.storage.basePath. Whoever may open it reads as over the data"
                  + " port.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          CAPACITY,
          CAPACITY_RATIO,
          TIMEOUT,
          SSD_THREADS,
          HDD_THREADS,
          READ_AHEAD,
          DROP_BEHIND,
          SHORT_CIRCUIT,
          SOCKET);

  /**
   * @param firstDirectory that run files go to
   */
  public static ReadingConfig from(ConfigSet set, long bufferCapacityBytes, Path firstDirectory) {
    long asked = set.get(CAPACITY);
    return new ReadingConfig(
        asked == BY_RATIO
            ? Math.max(1L << 20, (long) (bufferCapacityBytes * set.get(CAPACITY_RATIO)))
            : asked,
        new DiskReadConfig(
            Math.toIntExact(set.get(TIMEOUT)),
            set.get(SSD_THREADS),
            set.get(HDD_THREADS),
            DiskReadConfig.DEFAULT.maxQueued(),
            Math.toIntExact(set.get(READ_AHEAD)),
            set.get(DROP_BEHIND)),
        set.get(SHORT_CIRCUIT)
            ? Optional.of(set.findPath(SOCKET).orElse(firstDirectory.resolve("sluice.sock")))
            : Optional.empty());
  }
}
