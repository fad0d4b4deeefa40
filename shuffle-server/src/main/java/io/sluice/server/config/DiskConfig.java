package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.file.FileRights;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.HealthConfig;
import io.sluice.server.disk.ProbeConfig;
import java.util.List;
import java.util.Optional;

/**
 * Where run files go.
 *
 * @param directories in the order given, best one per disk
 * @param limits when a disk is written to
 * @param health when a disk is suspected, given up and taken back
 * @param demotionBytesPerSecond most bytes that are moved from a disk to a slower one; 0: none are
 */
public record DiskConfig(
    List<DirectoryConfig> directories,
    DiskLimits limits,
    HealthConfig health,
    long demotionBytesPerSecond) {
  private static final long BY_RATIO = -1;

  /** What the server keeps blocks in. */
  public enum StorageType {
    /** Memory first, then run files in local directories. */
    MEMORY_LOCALFILE,
    /** These, then a remote file system: HDFS, or another that Hadoop knows. */
    MEMORY_LOCALFILE_HDFS
  }

  public static final ConfigKey<StorageType> STORAGE_TYPE =
      ConfigKey.enumeration("rss.storage.type", StorageType.class)
          .defaultValue(StorageType.MEMORY_LOCALFILE)
          .doc(
              "Where blocks are kept: in memory, from there in files in local directories and, with"
                  + " MEMORY_LOCALFILE_HDFS, from there on a remote file system.")
          .build();

  static final ConfigKey<List<String>> BASE_PATH =
      ConfigKey.strings("rss.storage.basePath")
          .required()
          .check(paths -> !paths.isEmpty(), "at least one directory")
          .check(
              paths -> paths.stream().allMatch(DiskConfig::isBasePath),
              "absolute directories, each /path, /path:SSD or /path:HDD")
          .check(DiskConfig::allDifferent, "each directory once")
          .doc(
              "Directories for run files, best one per disk, each with the kind of its disk where"
                  + " the server cannot find it out. A directory belongs to one server.")
          .build();

  /** Of both tiers. */
  static final ConfigKey<String> FILE_GROUP =
      ConfigKey.string("rss.storage.file.group")
          .check(name -> name.matches("[A-Za-z0-9_][A-Za-z0-9_.@-]*"), "the name of a group")
          .doc(
              "Group that may read run files and the directories that hold them, on local disks and"
                  + " on the remote file system; the server's user must belong to it. When not set,"
                  + " only the server's user may read them. Clients of other users need the group"
                  + " where they open run files by themselves (storage.md).")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.disk.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.disk.capacity.ratio of the disk")
          .atLeast(1L << 20)
          .doc("Most bytes to store in each directory.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.disk.capacity.ratio")
          .defaultValue(0.9)
          .atLeast(0.01)
          .atMost(1.0)
          .doc("Share of each disk to use when rss.server.disk.capacity is -1.")
          .build();

  static final ConfigKey<Double> HIGH_WATERMARK =
      ConfigKey.percent("rss.server.high.watermark.write")
          .defaultValue(95.0)
          .reloadable()
          .doc("Share of a directory's capacity in use at which nothing more is written there.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.low.watermark.write")
          .defaultValue(85.0)
          .reloadable()
          .doc("Share of a directory's capacity in use below which it is written to again.")
          .build();

  static final ConfigKey<Long> RESERVED =
      ConfigKey.dataSize("rss.server.disk.reserved")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "Bytes of each directory's file system that are left free for others, whatever the"
                  + " capacity.")
          .build();

  static final ConfigKey<Long> DEMOTION_RATE =
      ConfigKey.dataSize("rss.server.disk.demotion.rate")
          .defaultValue(100L << 20)
          .atLeast(0L)
          .doc(
              "Most bytes per second that are moved from a directory above its high watermark to"
                  + " one on a slower disk, in the background; 0 moves nothing.")
          .build();

  static final ConfigKey<Long> WRITE_TIMEOUT =
      ConfigKey.durationMs("rss.server.disk.write.timeout")
          .defaultValue(HealthConfig.DEFAULT.writeTimeoutMs())
          .atLeast(100L)
          .doc(
              "How long writing a run of 256 MiB may take, a larger one longer in proportion. Then"
                  + " it is given up, its blocks go to another disk, and this one is suspected.")
          .build();

  static final ConfigKey<Integer> WRITE_ERRORS =
      ConfigKey.integer("rss.server.disk.write.errors.max")
          .defaultValue(HealthConfig.DEFAULT.writeFailuresUntilSuspect())
          .atLeast(1)
          .doc("Failed writes in a row after which a disk is suspected: not written any more.")
          .build();

  static final ConfigKey<Integer> READ_ERRORS =
      ConfigKey.integer("rss.server.disk.read.errors.max")
          .defaultValue(HealthConfig.DEFAULT.readErrorsUntilSuspect())
          .atLeast(1)
          .doc(
              "Failed reads within rss.server.disk.errors.window after which a disk is checked. If it"
                  + " answers and they were of one application, only runs that still cannot be read are"
                  + " given up; otherwise the disk is suspected.")
          .build();

  static final ConfigKey<Integer> READ_ERRORS_LOST =
      ConfigKey.integer("rss.server.disk.read.errors.lost")
          .defaultValue(HealthConfig.DEFAULT.readErrorsUntilLost())
          .atLeast(1)
          .doc(
              "Failed reads within rss.server.disk.errors.window after which the data of a disk that"
                  + " fails its checks, too, is declared lost.")
          .build();

  static final ConfigKey<Integer> CHECKSUM_ERRORS =
      ConfigKey.integer("rss.server.disk.checksum.errors.max")
          .defaultValue(HealthConfig.DEFAULT.checksumErrorsUntilSuspect())
          .atLeast(1)
          .doc(
              "Damaged blocks or footers found within rss.server.disk.errors.window after which a"
                  + " disk is suspected.")
          .build();

  static final ConfigKey<Long> ERRORS_WINDOW =
      ConfigKey.durationMs("rss.server.disk.errors.window")
          .defaultValue(HealthConfig.DEFAULT.errorWindowMs())
          .atLeast(1L)
          .doc("Errors of a disk that are older count no more.")
          .build();

  static final ConfigKey<Double> SLOW_FACTOR =
      ConfigKey.decimal("rss.server.disk.slow.factor")
          .defaultValue(HealthConfig.DEFAULT.slowFactor())
          .atLeast(1.5)
          .doc(
              "A disk is suspected when it lately takes so many times longer than it used to and"
                  + " than the other disks of its kind do.")
          .build();

  static final ConfigKey<Long> SLOW_THRESHOLD =
      ConfigKey.durationMs("rss.server.disk.slow.threshold")
          .defaultValue(HealthConfig.DEFAULT.slowLeastMs())
          .atLeast(0L)
          .doc("Nor is a disk slow that takes less than this for a MiB, or for a probe.")
          .build();

  static final ConfigKey<Long> LOST_AFTER =
      ConfigKey.durationMs("rss.server.disk.lost.after")
          .defaultValue(HealthConfig.DEFAULT.lostAfterMs())
          .atLeast(1L)
          .doc("What a disk holds is declared lost when nothing could be read from it for so long.")
          .build();

  static final ConfigKey<Long> CHECK_INTERVAL =
      ConfigKey.durationMs("rss.server.health.check.interval.ms")
          .defaultValue(HealthConfig.DEFAULT.probes().intervalMs())
          .atLeast(1L)
          .doc(
              "How often a small file is written to each disk, read back and deleted; one that is"
                  + " suspected or lost is probed every two seconds, or as often as this.")
          .build();

  static final ConfigKey<Long> CHECK_TIMEOUT =
      ConfigKey.durationMs("rss.server.health.check.timeout")
          .defaultValue(HealthConfig.DEFAULT.probes().timeoutMs())
          .atLeast(1L)
          .doc("A disk on which that takes longer is suspected.")
          .build();

  static final ConfigKey<Integer> GOOD_CHECKS =
      ConfigKey.integer("rss.server.health.check.successes")
          .defaultValue(HealthConfig.DEFAULT.probes().successesToReturn())
          .atLeast(1)
          .doc("Good checks in a row after which a disk is used again.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          STORAGE_TYPE,
          BASE_PATH,
          FILE_GROUP,
          CAPACITY,
          CAPACITY_RATIO,
          RESERVED,
          HIGH_WATERMARK,
          LOW_WATERMARK,
          DEMOTION_RATE,
          WRITE_TIMEOUT,
          WRITE_ERRORS,
          READ_ERRORS,
          READ_ERRORS_LOST,
          CHECKSUM_ERRORS,
          ERRORS_WINDOW,
          SLOW_FACTOR,
          SLOW_THRESHOLD,
          LOST_AFTER,
          CHECK_INTERVAL,
          CHECK_TIMEOUT,
          GOOD_CHECKS);

  public DiskConfig {
    directories = List.copyOf(directories);
  }

  /** The group that may read run files, of all directories alike; empty: only the server's user. */
  public Optional<String> fileGroup() {
    return directories.get(0).rights().group();
  }

  /** The low mark lies below the high one. */
  public static Optional<String> checkWatermarks(ConfigSet set) {
    return Watermarks.check(set, LOW_WATERMARK, HIGH_WATERMARK);
  }

  /** A disk is suspected before it is lost. */
  public static Optional<String> checkReadErrors(ConfigSet set) {
    int suspect = set.get(READ_ERRORS);
    int lost = set.get(READ_ERRORS_LOST);
    return suspect <= lost
        ? Optional.empty()
        : Optional.of(
            READ_ERRORS.name()
                + " ("
                + suspect
                + ") must not be more than "
                + READ_ERRORS_LOST.name()
                + " ("
                + lost
                + ")");
  }

  public static DiskConfig from(ConfigSet set) {
    long asked = set.get(CAPACITY);
    long capacity = asked == BY_RATIO ? 0 : asked;
    double ratio = set.get(CAPACITY_RATIO);
    FileRights rights = new FileRights(set.find(FILE_GROUP));
    return new DiskConfig(
        set.get(BASE_PATH).stream()
            .map(BasePath::parse)
            .map(
                base ->
                    new DirectoryConfig(
                        base.path(), base.kind(), capacity, ratio, set.get(RESERVED), rights))
            .toList(),
        new DiskLimits(
            set.get(HIGH_WATERMARK),
            set.get(LOW_WATERMARK),
            set.get(WRITE_ERRORS),
            DiskLimits.DEFAULT.retryMs(),
            DiskLimits.DEFAULT.badRetryMs()),
        new HealthConfig(
            set.get(WRITE_ERRORS),
            set.get(READ_ERRORS),
            set.get(READ_ERRORS_LOST),
            set.get(CHECKSUM_ERRORS),
            set.get(ERRORS_WINDOW),
            set.get(SLOW_FACTOR),
            set.get(SLOW_THRESHOLD),
            new ProbeConfig(
                set.get(CHECK_INTERVAL),
                Math.min(set.get(CHECK_INTERVAL), HealthConfig.DEFAULT.probes().retryMs()),
                set.get(CHECK_TIMEOUT),
                set.get(GOOD_CHECKS)),
            set.get(LOST_AFTER),
            set.get(WRITE_TIMEOUT)),
        set.get(DEMOTION_RATE));
  }

  private static boolean isBasePath(String text) {
    try {
      BasePath.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean allDifferent(List<String> paths) {
    return paths.stream()
            .filter(DiskConfig::isBasePath)
            .map(text -> BasePath.parse(text).path().normalize())
            .distinct()
            .count()
        == paths.size();
  }
}
