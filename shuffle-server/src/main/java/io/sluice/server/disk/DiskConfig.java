package io.sluice.server.disk;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.file.FileRights;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of the directories for run files.
 *
 * @param directories in configured order, preferably one per disk
 * @param limits watermarks and retry times of writes
 * @param health thresholds at which a disk becomes suspect, lost and healthy again
 * @param demotionBytesPerSecond maximum rate of moves from a disk to a slower one; 0: no moves
 */
public record DiskConfig(
    List<DirectoryConfig> directories,
    DiskLimits limits,
    HealthConfig health,
    long demotionBytesPerSecond) {
  private static final long BY_RATIO = -1;

  /** Tiers that store blocks. */
  public enum StorageType {
    /** Memory first, then run files in local directories. */
    MEMORY_LOCALFILE,
    /** Memory, local directories, then a remote file system: HDFS or another Hadoop file system. */
    MEMORY_LOCALFILE_HDFS
  }

  public static final ConfigKey<StorageType> STORAGE_TYPE =
      ConfigKey.enumeration("rss.storage.type", StorageType.class)
          .defaultValue(StorageType.MEMORY_LOCALFILE)
          .doc(
              "Tiers that store blocks. MEMORY_LOCALFILE: memory and local directories;"
                  + " MEMORY_LOCALFILE_HDFS: also a remote file system. Change it if local disks"
                  + " may be too small for the largest shuffles.")
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
              "Directories for run files, one per disk; append :SSD or :HDD if the server cannot"
                  + " detect the kind of the disk. Each directory belongs to one server. List"
                  + " every disk intended for shuffle data.")
          .build();

  /** Applies to local and remote run files. */
  static final ConfigKey<String> FILE_GROUP =
      ConfigKey.string("rss.storage.file.group")
          .check(name -> name.matches("[A-Za-z0-9_][A-Za-z0-9_.@-]*"), "the name of a group")
          .doc(
              "Group with read permission for local and remote run files; the server's user must"
                  + " belong to it. If unset, only the server's user can read them. Set it if"
                  + " clients of other users open run files directly (storage.md).")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.disk.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.disk.capacity.ratio of the disk")
          .atLeast(1L << 20)
          .doc(
              "Maximum bytes stored in each directory. Set it if a disk is shared with other"
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
              "Used share of a directory's capacity at which the server stops writing there. Lower"
                  + " it if runs are large compared with the disk.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.low.watermark.write")
          .defaultValue(85.0)
          .reloadable()
          .doc(
              "Used share of a directory's capacity below which the server resumes writing there."
                  + " Keep it some percent below rss.server.high.watermark.write.")
          .build();

  static final ConfigKey<Long> RESERVED =
      ConfigKey.dataSize("rss.server.disk.reserved")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "Bytes of each directory's file system that stay free, whatever the capacity. Set it"
                  + " on disks that also store the operating system or logs.")
          .build();

  static final ConfigKey<Long> DEMOTION_RATE =
      ConfigKey.dataSize("rss.server.disk.demotion.rate")
          .defaultValue(100L << 20)
          .atLeast(0L)
          .doc(
              "Maximum bytes per second moved in the background from a directory above its high"
                  + " watermark to a slower disk; 0 disables moves. Raise it if fast disks stay"
                  + " full.")
          .build();

  static final ConfigKey<Long> WRITE_TIMEOUT =
      ConfigKey.durationMs("rss.server.disk.write.timeout")
          .defaultValue(HealthConfig.DEFAULT.writeTimeoutMs())
          .atLeast(100L)
          .doc(
              "Timeout of writing a run of up to 256 MiB; larger runs get proportionally more."
                  + " After it, the blocks are written to another disk and the disk becomes"
                  + " SUSPECT. Raise it for slow disks that are healthy.")
          .build();

  static final ConfigKey<Integer> WRITE_ERRORS =
      ConfigKey.integer("rss.server.disk.write.errors.max")
          .defaultValue(HealthConfig.DEFAULT.writeFailuresUntilSuspect())
          .atLeast(1)
          .doc(
              "Number of consecutive failed writes after which a disk becomes SUSPECT and is no"
                  + " longer written. Raise it for disks behind an unreliable network.")
          .build();

  static final ConfigKey<Integer> READ_ERRORS =
      ConfigKey.integer("rss.server.disk.read.errors.max")
          .defaultValue(HealthConfig.DEFAULT.readErrorsUntilSuspect())
          .atLeast(1)
          .doc(
              "Number of failed reads within a minute after which a disk is probed. If the probe"
                  + " succeeds and the reads belong to one application, only unreadable runs are"
                  + " declared lost; otherwise the disk becomes SUSPECT. Raise it for disks behind"
                  + " an unreliable network.")
          .build();

  static final ConfigKey<Double> SLOW_FACTOR =
      ConfigKey.decimal("rss.server.disk.slow.factor")
          .defaultValue(HealthConfig.DEFAULT.slowFactor())
          .atLeast(1.5)
          .doc(
              "Factor by which the latency of a disk must exceed its own average and that of other"
                  + " disks of its kind to make it SUSPECT. Raise it if healthy disks become"
                  + " SUSPECT under load.")
          .build();

  static final ConfigKey<Long> SLOW_THRESHOLD =
      ConfigKey.durationMs("rss.server.disk.slow.threshold")
          .defaultValue(HealthConfig.DEFAULT.slowThresholdMs())
          .atLeast(0L)
          .doc(
              "Minimum time per MiB (or per probe) above which a disk can be marked slow. Raise it"
                  + " for disks that are slow by design.")
          .build();

  static final ConfigKey<Long> LOST_AFTER =
      ConfigKey.durationMs("rss.server.disk.lost.after")
          .defaultValue(HealthConfig.DEFAULT.lostAfterMs())
          .atLeast(1L)
          .doc(
              "Time without a successful read after which the data of a disk is declared lost and"
                  + " recomputed. Raise it if disks recover after longer pauses.")
          .build();

  static final ConfigKey<Long> CHECK_INTERVAL =
      ConfigKey.durationMs("rss.server.health.check.interval.ms")
          .defaultValue(HealthConfig.DEFAULT.probes().intervalMs())
          .atLeast(1L)
          .doc(
              "Interval of the disk probe, which writes, reads and deletes a small file. SUSPECT"
                  + " and LOST disks are probed at least every 2 s. Raise it if idle disks should"
                  + " spin down.")
          .build();

  static final ConfigKey<Long> CHECK_TIMEOUT =
      ConfigKey.durationMs("rss.server.health.check.timeout")
          .defaultValue(HealthConfig.DEFAULT.probes().timeoutMs())
          .atLeast(1L)
          .doc(
              "Timeout of one disk probe (rss.server.health.check.interval.ms), after which the"
                  + " disk becomes SUSPECT. Raise it for slow disks that are healthy.")
          .build();

  static final ConfigKey<Integer> GOOD_CHECKS =
      ConfigKey.integer("rss.server.health.check.successes")
          .defaultValue(HealthConfig.DEFAULT.probes().successesToReturn())
          .atLeast(1)
          .doc(
              "Number of consecutive successful probes after which a disk is used again. Raise it"
                  + " if disks fail again soon after they recover.")
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

  /** The group with read permission in all directories; empty: only the server's user. */
  public Optional<String> fileGroup() {
    return directories.get(0).rights().group();
  }

  /** Adds the rules across keys. */
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
