package io.sluice.server.remote;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.disk.DiskConfig;
import io.sluice.server.remote.spi.KerberosSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Configuration of the remote tier.
 *
 * @param used whether the remote tier is enabled
 * @param path URI of the directory that servers share
 * @param capacityBytes maximum bytes stored by this server; {@link Long#MAX_VALUE}: no limit
 * @param largeBytes minimum length of runs to move there first
 * @param startTimeoutMs time for which the start of the server waits for the file system
 * @param classPath class path of a Hadoop client
 * @param configurationDirectory configuration directory of Hadoop
 * @param properties Hadoop properties
 */
public record RemoteConfig(
    boolean used,
    Optional<String> path,
    long capacityBytes,
    long largeBytes,
    long startTimeoutMs,
    Optional<String> classPath,
    Optional<Path> configurationDirectory,
    Map<String, String> properties,
    Kerberos kerberos) {
  private static final long UNBOUNDED = -1;
  private static final Pattern WITH_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*");

  /**
   * The configured Kerberos login, possibly incomplete.
   *
   * @param used whether to log in
   */
  public record Kerberos(
      boolean used,
      Optional<String> principal,
      Optional<Path> keytab,
      Optional<Path> krb5Configuration,
      long reloginMs) {
    /** Settings for the file system; empty: no login. */
    public Optional<KerberosSettings> settings() {
      return used
          ? Optional.of(
              new KerberosSettings(
                  principal.orElseThrow(), keytab.orElseThrow(), krb5Configuration, reloginMs))
          : Optional.empty();
    }
  }

  static final ConfigKey<String> PATH =
      ConfigKey.string("rss.server.remote.storage.path")
          .check(
              path -> WITH_SCHEME.matcher(path).matches(),
              "a directory with its scheme, such as hdfs://cluster/sluice")
          .doc(
              "URI of the directory for the coldest run files on a Hadoop file system, shared by"
                  + " servers and clients; each server writes to its own subdirectories. Required"
                  + " if rss.storage.type is MEMORY_LOCALFILE_HDFS.")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.remote.storage.capacity")
          .defaultValue(UNBOUNDED)
          .alsoAllow(UNBOUNDED, "the free space of the file system")
          .atLeast(1L << 20)
          .doc(
              "Maximum bytes stored by this server on the remote file system. Set it if the file"
                  + " system has other users.")
          .build();

  static final ConfigKey<Long> LARGE =
      ConfigKey.dataSize("rss.server.flush.cold.storage.threshold.size")
          .defaultValue(64L << 20)
          .atLeast(1L)
          .doc(
              "Minimum size of run files that are moved first to the remote file system when local"
                  + " directories are full. Also the minimum size of a shuffle in memory that is"
                  + " written there directly if no local directory has space. Raise it to avoid"
                  + " small files.")
          .build();

  static final ConfigKey<Long> START_TIMEOUT =
      ConfigKey.durationMs("rss.server.remote.storage.start.timeout")
          .defaultValue(20_000L)
          .atLeast(0L)
          .atMost(600_000L)
          .doc(
              "Time for which the start waits for the remote file system. After it, the server"
                  + " starts without that tier, retries in the background, and loses the data of"
                  + " earlier processes there. Raise it if that data matters more than a fast"
                  + " start.")
          .build();

  static final ConfigKey<String> CLASS_PATH =
      ConfigKey.string("rss.server.hadoop.classpath")
          .defaultText("environment variable `HADOOP_CLASSPATH`")
          .doc(
              "Class path of a Hadoop client in the format of java -cp, added to the jars in"
                  + " lib/hadoop of the distribution; `hadoop classpath` prints one. Set it for a"
                  + " remote file system without those jars.")
          .build();

  static final ConfigKey<String> CONFIGURATION_DIRECTORY =
      ConfigKey.string("rss.server.hadoop.conf.dir")
          .check(text -> text.startsWith("/"), "an absolute directory")
          .defaultText("environment variable `HADOOP_CONF_DIR`")
          .doc(
              "Directory of Hadoop's core-site.xml and hdfs-site.xml. Set it if the remote file"
                  + " system needs more than its URI.")
          .build();

  /** Properties passed to Hadoop. */
  public static final ConfigSchema.Family PROPERTIES =
      new ConfigSchema.Family(
          "rss.server.hadoop.",
          "Hadoop properties by the rest of the name; they override Hadoop's configuration files."
              + " Example: rss.server.hadoop.dfs.replication 2.");

  static final ConfigKey<Boolean> KERBEROS =
      ConfigKey.bool("rss.security.hadoop.kerberos.enable")
          .defaultValue(false)
          .doc(
              "Whether to log in to Kerberos for the remote file system. Set it if that file"
                  + " system requires Kerberos.")
          .build();

  static final ConfigKey<String> KRB5_CONF =
      ConfigKey.string("rss.security.hadoop.kerberos.krb5-conf.file")
          .check(text -> text.startsWith("/"), "an absolute file")
          .defaultText("default of the JVM")
          .doc(
              "Configuration file of Kerberos (krb5.conf). Set it if the file is not at the"
                  + " default location.")
          .build();

  static final ConfigKey<String> KEYTAB =
      ConfigKey.string("rss.security.hadoop.kerberos.keytab.file")
          .check(text -> text.startsWith("/"), "an absolute file")
          .doc(
              "Keytab file of rss.security.hadoop.kerberos.principal. Required with"
                  + " rss.security.hadoop.kerberos.enable.")
          .build();

  static final ConfigKey<String> PRINCIPAL =
      ConfigKey.string("rss.security.hadoop.kerberos.principal")
          .doc(
              "Kerberos principal of the server. Required with"
                  + " rss.security.hadoop.kerberos.enable.")
          .build();

  static final ConfigKey<Long> RELOGIN_INTERVAL =
      ConfigKey.durationMs("rss.security.hadoop.kerberos.relogin.interval.sec")
          .defaultValue(60_000L)
          .atLeast(1_000L)
          .doc(
              "Interval of checks of the Kerberos ticket, which is renewed before it expires."
                  + " Lower it if tickets expire after minutes.")
          .build();

  /** The keys that this record is made from, in addition to {@code rss.storage.type}. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          PATH,
          CAPACITY,
          LARGE,
          START_TIMEOUT,
          CLASS_PATH,
          CONFIGURATION_DIRECTORY,
          KERBEROS,
          KRB5_CONF,
          KEYTAB,
          PRINCIPAL,
          RELOGIN_INTERVAL);

  public RemoteConfig {
    properties = Map.copyOf(properties);
  }

  /** Checks that the remote tier has a path. */
  public static Optional<String> checkPath(ConfigSet set) {
    return usesRemote(set) && set.find(PATH).isEmpty()
        ? Optional.of(
            DiskConfig.STORAGE_TYPE.name()
                + " MEMORY_LOCALFILE_HDFS needs "
                + PATH.name()
                + ", a directory such as hdfs://cluster/sluice")
        : Optional.empty();
  }

  /** Checks that a Kerberos login has keytab and principal. */
  public static Optional<String> checkKerberos(ConfigSet set) {
    return set.get(KERBEROS) && (set.find(KEYTAB).isEmpty() || set.find(PRINCIPAL).isEmpty())
        ? Optional.of(KERBEROS.name() + " needs " + KEYTAB.name() + " and " + PRINCIPAL.name())
        : Optional.empty();
  }

  public static RemoteConfig from(ConfigSet set) {
    long capacity = set.get(CAPACITY);
    return new RemoteConfig(
        usesRemote(set),
        set.find(PATH),
        capacity == UNBOUNDED ? Long.MAX_VALUE : capacity,
        set.get(LARGE),
        set.get(START_TIMEOUT),
        set.find(CLASS_PATH),
        set.findPath(CONFIGURATION_DIRECTORY),
        set.passedOn(PROPERTIES),
        new Kerberos(
            set.get(KERBEROS),
            set.find(PRINCIPAL),
            set.findPath(KEYTAB),
            set.findPath(KRB5_CONF),
            set.get(RELOGIN_INTERVAL)));
  }

  private static boolean usesRemote(ConfigSet set) {
    return set.get(DiskConfig.STORAGE_TYPE) == DiskConfig.StorageType.MEMORY_LOCALFILE_HDFS;
  }
}
