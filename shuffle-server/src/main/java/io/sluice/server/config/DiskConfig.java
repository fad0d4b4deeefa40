package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.storage.DirectoryConfig;
import io.sluice.server.storage.DiskLimits;
import java.util.List;
import java.util.Optional;

/**
 * Where run files go.
 *
 * @param directories in the order given, best one per disk
 * @param limits when a disk is written to
 */
public record DiskConfig(List<DirectoryConfig> directories, DiskLimits limits) {
  private static final long BY_RATIO = -1;

  /** What the server keeps blocks in. */
  public enum StorageType {
    /** Memory first, then run files in local directories. */
    MEMORY_LOCALFILE,
    /** These, then a remote file system: HDFS, or another that Hadoop knows. */
    MEMORY_LOCALFILE_HDFS
  }

  static final ConfigKey<StorageType> STORAGE_TYPE =
      ConfigKey.enumeration("rss.storage.type", StorageType.class)
          .defaultValue(StorageType.MEMORY_LOCALFILE)
          .since("0.1.0")
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
          .since("0.1.0")
          .doc(
              "Directories for run files, best one per disk, each with the kind of its disk where"
                  + " the server cannot find it out. A directory belongs to one server.")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.disk.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.disk.capacity.ratio of the disk")
          .atLeast(1L << 20)
          .since("0.1.0")
          .doc("Most bytes to store in each directory.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.disk.capacity.ratio")
          .defaultValue(0.9)
          .atLeast(0.01)
          .atMost(1.0)
          .since("0.1.0")
          .doc("Share of each disk to use when rss.server.disk.capacity is -1.")
          .build();

  static final ConfigKey<Double> HIGH_WATERMARK =
      ConfigKey.percent("rss.server.high.watermark.write")
          .defaultValue(95.0)
          .since("0.1.0")
          .doc("Share of a directory's capacity in use at which nothing more is written there.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.low.watermark.write")
          .defaultValue(85.0)
          .since("0.1.0")
          .doc("Share of a directory's capacity in use below which it is written to again.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(STORAGE_TYPE, BASE_PATH, CAPACITY, CAPACITY_RATIO, HIGH_WATERMARK, LOW_WATERMARK);

  public DiskConfig {
    directories = List.copyOf(directories);
  }

  /** The low mark lies below the high one. */
  public static Optional<String> checkWatermarks(ConfigSet set) {
    return Watermarks.check(set, LOW_WATERMARK, HIGH_WATERMARK);
  }

  public static DiskConfig from(ConfigSet set) {
    long asked = set.get(CAPACITY);
    long capacity = asked == BY_RATIO ? 0 : asked;
    double ratio = set.get(CAPACITY_RATIO);
    return new DiskConfig(
        set.get(BASE_PATH).stream()
            .map(BasePath::parse)
            .map(base -> new DirectoryConfig(base.path(), base.kind(), capacity, ratio))
            .toList(),
        new DiskLimits(
            set.get(HIGH_WATERMARK),
            set.get(LOW_WATERMARK),
            DiskLimits.DEFAULT.failuresUntilBad(),
            DiskLimits.DEFAULT.retryMs(),
            DiskLimits.DEFAULT.badRetryMs()));
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
