package io.sluice.server.disk;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.file.FileRights;
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
              "Where blocks are kept. MEMORY_LOCALFILE: in memory and in local directories;"
                  + " MEMORY_LOCALFILE_HDFS: also on a remote file system. Change it if local disks may"
                  + " be too small for the largest shuffles.")
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
              "Directories for run files, one per disk, each with :SSD or :HDD where the server"
                  + " cannot detect the kind. A directory belongs to one server. List every disk that"
                  + " is for shuffles.")
          .build();

  /** Of both tiers. */
  static final ConfigKey<String> FILE_GROUP =
      ConfigKey.string("rss.storage.file.group")
          .check(name -> name.matches("[A-Za-z0-9_][A-Za-z0-9_.@-]*"), "the name of a group")
          .doc(
              "Group that may read run files and their directories, local and remote; the"
                  + " server's user must belong to it. Without it only the server's user may. Set it if"
                  + " clients of other users open run files themselves (storage.md).")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.disk.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.disk.capacity.ratio of the disk")
          .atLeast(1L << 20)
          .doc(
              "Maximum bytes to store in each directory. Set it if a disk is shared with other"
                  + " services.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.disk.capacity.ratio")
          .defaultValue(0.9)
          .atLeast(0.01)
          .atMost(1.0)
          .doc(
              "Share of each disk to use when rss.server.disk.capacity is -1. Lower it if a disk"
                  + " is shared with other services.")
          .build();

  static final ConfigKey<Double> HIGH_WATERMARK =
      ConfigKey.percent("rss.server.high.watermark.write")
          .defaultValue(95.0)
          .reloadable()
          .doc(
              "Share of the capacity of a directory in use at which the server stops writing"
                  + " there. Lower it where runs are large compared with the disk.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.low.watermark.write")
          .defaultValue(85.0)
          .reloadable()
          .doc(
              "Share of the capacity of a directory in use below which the server writes there"
                  + " again. Keep it some percent below rss.server.high.watermark.write.")
          .build();

  static final ConfigKey<Long> RESERVED =
      ConfigKey.dataSize("rss.server.disk.reserved")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "Bytes of the file system of each directory that stay free, whatever the capacity."
                  + " Set it on disks that also hold the system or logs.")
          .build();

  static final ConfigKey<Long> DEMOTION_RATE =
      ConfigKey.dataSize("rss.server.disk.demotion.rate")
          .defaultValue(100L << 20)
          .atLeast(0L)
          .doc(
              "Maximum bytes per second that are moved in the background from a directory above"
                  + " its high watermark to a slower disk; 0: none. Raise it if fast disks stay full.")
          .build();

  static final ConfigKey<Long> WRITE_TIMEOUT =
      ConfigKey.durationMs("rss.server.disk.write.timeout")
          .defaultValue(HealthConfig.DEFAULT.writeTimeoutMs())
          .atLeast(100L)
          .doc(
              "Maximum time to write a run of 256 MiB; a larger one gets more in proportion. Then"
                  + " its blocks go to another disk, and the disk is suspect. Raise it for slow disks"
                  + " that are healthy.")
          .build();

  static final ConfigKey<Integer> WRITE_ERRORS =
      ConfigKey.integer("rss.server.disk.write.errors.max")
          .defaultValue(HealthConfig.DEFAULT.writeFailuresUntilSuspect())
          .atLeast(1)
          .doc(
              "Consecutive failed writes after which a disk is suspect and not written. Raise it"
                  + " for disks behind a network that fails at times.")
          .build();

  static final ConfigKey<Integer> READ_ERRORS =
      ConfigKey.integer("rss.server.disk.read.errors.max")
          .defaultValue(HealthConfig.DEFAULT.readErrorsUntilSuspect())
          .atLeast(1)
          .doc(
              "Failed reads within a minute after which a disk is checked. If it answers and the"
                  + " reads were of one application, only runs that cannot be read are given up;"
                  + " otherwise the disk is suspect. Raise it for disks behind a network that fails at"
                  + " times.")
          .build();

  static final ConfigKey<Double> SLOW_FACTOR =
      ConfigKey.decimal("rss.server.disk.slow.factor")
          .defaultValue(HealthConfig.DEFAULT.slowFactor())
          .atLeast(1.5)
          .doc(
              "A disk is suspect if it takes this many times longer than before, and than the"
                  + " other disks of its kind. Raise it if healthy disks are suspected under load.")
          .build();

  static final ConfigKey<Long> SLOW_THRESHOLD =
      ConfigKey.durationMs("rss.server.disk.slow.threshold")
          .defaultValue(HealthConfig.DEFAULT.slowLeastMs())
          .atLeast(0L)
          .doc(
              "A disk that takes less than this for a MiB, or for a probe, is not slow. Raise it"
                  + " for disks that are slow by nature.")
          .build();

  static final ConfigKey<Long> LOST_AFTER =
      ConfigKey.durationMs("rss.server.disk.lost.after")
          .defaultValue(HealthConfig.DEFAULT.lostAfterMs())
          .atLeast(1L)
          .doc(
              "How long nothing could be read from a disk until its data counts as lost and is"
                  + " recomputed. Raise it if disks come back after longer pauses.")
          .build();

  static final ConfigKey<Long> CHECK_INTERVAL =
      ConfigKey.durationMs("rss.server.health.check.interval.ms")
          .defaultValue(HealthConfig.DEFAULT.probes().intervalMs())
          .atLeast(1L)
          .doc(
              "How often a small file is written to each disk, read back and deleted. A disk that"
                  + " is suspect or lost is probed every two seconds, or as often as this. Raise it if"
                  + " many idle disks should sleep.")
          .build();

  static final ConfigKey<Long> CHECK_TIMEOUT =
      ConfigKey.durationMs("rss.server.health.check.timeout")
          .defaultValue(HealthConfig.DEFAULT.probes().timeoutMs())
          .atLeast(1L)
          .doc(
              "Time for one probe (rss.server.health.check.interval.ms) beyond which a disk is"
                  + " suspect. Raise it for slow disks that are healthy.")
          .build();

  static final ConfigKey<Integer> GOOD_CHECKS =
      ConfigKey.integer("rss.server.health.check.successes")
          .defaultValue(HealthConfig.DEFAULT.probes().successesToReturn())
          .atLeast(1)
          .doc(
              "Consecutive good probes after which a disk is used again. Raise it if disks fail"
                  + " again soon after they return.")
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

  /** Adds the rules that the keys keep. */
  public static ConfigSchema.Builder rules(ConfigSchema.Builder schema) {
    return schema.less(LOW_WATERMARK, HIGH_WATERMARK);
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
            Math.max(set.get(READ_ERRORS), HealthConfig.DEFAULT.readErrorsUntilLost()),
            HealthConfig.DEFAULT.checksumErrorsUntilSuspect(),
            HealthConfig.DEFAULT.errorWindowMs(),
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
