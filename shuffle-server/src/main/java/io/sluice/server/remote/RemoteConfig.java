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
 * The tier on a remote file system.
 *
 * @param used whether there is one
 * @param path of the directory that servers share, with its scheme
 * @param capacityBytes most bytes of this server there; {@link Long#MAX_VALUE}: what there is
 * @param largeBytes runs from this length on are worth a file there
 * @param startTimeoutMs how long a start waits for it
 * @param classPath of a Hadoop client
 * @param configurationDirectory of Hadoop
 * @param properties of Hadoop
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
   * A login from a keytab, as far as it was given.
   *
   * @param used whether to log in
   */
  public record Kerberos(
      boolean used,
      Optional<String> principal,
      Optional<Path> keytab,
      Optional<Path> krb5Configuration,
      long reloginMs) {
    /** For a file system; empty: no login. */
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
              "Directory on a Hadoop file system for the coldest run files, shared by servers and"
                  + " clients; each server keeps to directories of its own. Needed with"
                  + " MEMORY_LOCALFILE_HDFS in rss.storage.type.")
          .build();

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.remote.storage.capacity")
          .defaultValue(UNBOUNDED)
          .alsoAllow(UNBOUNDED, "what the file system has free")
          .atLeast(1L << 20)
          .doc(
              "Maximum bytes that this server stores on the remote file system. Set it if the"
                  + " file system has other users.")
          .build();

  static final ConfigKey<Long> LARGE =
      ConfigKey.dataSize("rss.server.flush.cold.storage.threshold.size")
          .defaultValue(64L << 20)
          .atLeast(1L)
          .doc(
              "Size from which run files go to the remote file system first when local"
                  + " directories are full, and from which a shuffle in memory is written there"
                  + " directly if no local directory has room. Raise it if the file system suffers from"
                  + " small files.")
          .build();

  static final ConfigKey<Long> START_TIMEOUT =
      ConfigKey.durationMs("rss.server.remote.storage.start.timeout")
          .defaultValue(20_000L)
          .atLeast(0L)
          .atMost(600_000L)
          .doc(
              "How long a start waits for the remote file system. Then the server starts without"
                  + " that tier, tries it again in the background, and lacks what an earlier process"
                  + " left there. Raise it if that data matters more than the start.")
          .build();

  static final ConfigKey<String> CLASS_PATH =
      ConfigKey.string("rss.server.hadoop.classpath")
          .defaultText("environment variable `HADOOP_CLASSPATH`")
          .doc(
              "Class path of a Hadoop client, as java -cp takes it, beside the jars in lib/hadoop"
                  + " of the distribution; `hadoop classpath` prints one. Needed for a remote file"
                  + " system without those jars.")
          .build();

  static final ConfigKey<String> CONFIGURATION_DIRECTORY =
      ConfigKey.string("rss.server.hadoop.conf.dir")
          .check(text -> text.startsWith("/"), "an absolute directory")
          .defaultText("environment variable `HADOOP_CONF_DIR`")
          .doc(
              "Directory of core-site.xml and hdfs-site.xml of Hadoop. Set it if the remote file"
                  + " system needs more than its URI.")
          .build();

  /** Settings of Hadoop's own. */
  public static final ConfigSchema.Family PROPERTIES =
      new ConfigSchema.Family(
          "rss.server.hadoop.",
          "Handed to Hadoop under the rest of the name, over what its files say:"
              + " rss.server.hadoop.dfs.replication 2.");

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
          .defaultText("the system's")
          .doc("Configuration file of Kerberos. Set it if it is not where the system has it.")
          .build();

  static final ConfigKey<String> KEYTAB =
      ConfigKey.string("rss.security.hadoop.kerberos.keytab.file")
          .check(text -> text.startsWith("/"), "an absolute file")
          .doc(
              "Keytab of rss.security.hadoop.kerberos.principal. Needed with"
                  + " rss.security.hadoop.kerberos.enable.")
          .build();

  static final ConfigKey<String> PRINCIPAL =
      ConfigKey.string("rss.security.hadoop.kerberos.principal")
          .doc("Kerberos principal of the server. Needed with rss.security.hadoop.kerberos.enable.")
          .build();

  static final ConfigKey<Long> RELOGIN_INTERVAL =
      ConfigKey.durationMs("rss.security.hadoop.kerberos.relogin.interval.sec")
          .defaultValue(60_000L)
          .atLeast(1_000L)
          .doc(
              "How often the Kerberos ticket is checked; it is renewed near its end. Lower it if"
                  + " tickets live for minutes.")
          .build();

  /** The keys that this record is made from, beside {@code rss.storage.type}. */
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

  /** The tier has a place. */
  public static Optional<String> checkPath(ConfigSet set) {
    return usesRemote(set) && set.find(PATH).isEmpty()
        ? Optional.of(
            DiskConfig.STORAGE_TYPE.name()
                + " MEMORY_LOCALFILE_HDFS needs "
                + PATH.name()
                + ", a directory such as hdfs://cluster/sluice")
        : Optional.empty();
  }

  /** A login has what it needs. */
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
