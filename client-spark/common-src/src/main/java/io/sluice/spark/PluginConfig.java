package io.sluice.spark;

import io.sluice.client.ClientConfig;
import io.sluice.client.LocalOutputMode;
import io.sluice.client.ReadWaitConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * What the plugin takes from Spark's configuration: its own keys, {@code spark.rss.*}, and those of
 * Spark's whose meaning for shuffles it keeps. Immutable.
 */
public final class PluginConfig {
  private static final Logger LOG = LoggerFactory.getLogger(PluginConfig.class);
  private static final String PREFIX = "spark.";
  private static final String CODEC_KEY = "spark.io.compression.codec";
  private static final String ZSTD_LEVEL_KEY = "spark.io.compression.zstd.level";
  private static final String SPARK_ZSTD_LEVEL = "1";
  private static final String OUR_ZSTD_LEVEL_KEYS = "spark.rss.client.io.compression.zstd.";
  private static final String OUR_ZSTD_LEVEL_KEY = OUR_ZSTD_LEVEL_KEYS + "level";
  private static final int DEFAULT_OPEN_STREAMS = 200;

  private final ClientConfig client;
  private final int maxOpenStreams;
  private final long autoLocalBytes;
  private final List<String> notices;

  private PluginConfig(
      ClientConfig client, int maxOpenStreams, long autoLocalBytes, List<String> notices) {
    this.client = client;
    this.maxOpenStreams = maxOpenStreams;
    this.autoLocalBytes = autoLocalBytes;
    this.notices = notices;
  }

  /**
   * Reads the configuration of an application.
   *
   * @throws io.sluice.common.config.ConfigException naming every value that cannot be meant
   */
  public static PluginConfig of(SparkConf conf) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      values.put(entry._1(), entry._2());
    }
    if (values.keySet().stream().noneMatch(key -> key.startsWith(OUR_ZSTD_LEVEL_KEYS))) {
      values.put(OUR_ZSTD_LEVEL_KEY, conf.get(ZSTD_LEVEL_KEY, SPARK_ZSTD_LEVEL));
    }
    ConfigSet set =
        ConfigReader.of(ClientConfig.SCHEMA)
            .enginePrefix(PREFIX)
            .values("Spark's configuration", values)
            .read();
    List<String> notices = new ArrayList<>(set.notices());
    ClientConfig client = ClientConfig.from(set, codec(conf, notices));
    return new PluginConfig(
        client,
        conf.getInt("spark.shuffle.sort.bypassMergeThreshold", DEFAULT_OPEN_STREAMS),
        set.get(ClientConfig.AUTO_LOCAL),
        List.copyOf(notices));
  }

  /**
   * Takes over what the operator wants applications to be configured with, into {@code conf}: from
   * there executors have it. Settings that cannot be meant are left out, all of them, with one
   * warning.
   *
   * @param user operating-system user that the application runs as
   */
  public static void takeServed(SparkConf conf, String user, Map<String, String> environment) {
    ServedSettings served =
        ServedSettings.fetch(of(conf).client(), user, environment, System::nanoTime);
    take(conf, served);
  }

  static void take(SparkConf conf, ServedSettings served) {
    Map<String, String> own = new LinkedHashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      own.put(entry._1(), entry._2());
    }
    Map<String, String> changes = served.changes(PREFIX, own);
    if (changes.isEmpty()) {
      return;
    }
    SparkConf trial = conf.clone();
    changes.forEach(trial::set);
    try {
      of(trial);
    } catch (ConfigException e) {
      LOG.warn(
          "settings of the coordinator are not used, they cannot be meant reason=\"{}\"",
          e.getMessage());
      return;
    }
    changes.forEach(conf::set);
    LOG.info("settings taken from the coordinator settings={}", changes);
  }

  private static BlockCodec codec(SparkConf conf, List<String> notices) {
    if (!conf.getBoolean("spark.shuffle.compress", true)) {
      return BlockCodec.NONE;
    }
    String name = conf.get(CODEC_KEY, "lz4");
    // A short name, or the name of Spark's class for it.
    String shortName =
        name.replaceFirst("^org\\.apache\\.spark\\.io\\.(\\w+)CompressionCodec$", "$1");
    return switch (shortName.toLowerCase(Locale.ROOT)) {
      case "lz4" -> BlockCodec.LZ4;
      case "zstd" -> BlockCodec.ZSTD;
      case "snappy" -> BlockCodec.SNAPPY;
      default -> {
        notices.add(
            CODEC_KEY + ": codec=" + name + " is not one of lz4, zstd, snappy; blocks use lz4");
        yield BlockCodec.LZ4;
      }
    };
  }

  /** Writes a line for every matter that the user should know of. */
  public void logNotices() {
    notices.forEach(notice -> LOG.warn("configuration: {}", notice));
  }

  List<String> notices() {
    return notices;
  }

  ClientConfig client() {
    return client;
  }

  /** When map tasks leave blocks on local disks. */
  public LocalOutputMode localOutput() {
    return client.localOutput().mode();
  }

  /** Most further servers that a shuffle gets when servers fail or are full; 0: none. */
  public int maxReplacementServers() {
    return client.reassign().maxServers();
  }

  /** How blocks are compressed. */
  public BlockCodec codec() {
    return client.push().codec();
  }

  /** Content of a block, in bytes, unless a record is larger. */
  public int blockBytes() {
    return client.writer().contentBytes();
  }

  /** Task memory at which a writer pushes what it holds, in bytes. */
  public long spillBytes() {
    return client.writer().spillBytes();
  }

  /** Known input up to which a shuffle stays on Spark's own, in bytes; 0: none does. */
  public long autoLocalBytes() {
    return autoLocalBytes;
  }

  /** Most partitions for which a writer keeps one open serialization stream each. */
  public int maxOpenStreams() {
    return maxOpenStreams;
  }

  /** How long readers wait for what is pushed behind its task. */
  public ReadWaitConfig readWait() {
    return client.localOutput().readWait();
  }

  /** What an attempt holds of a partition is not pushed behind its task if it is larger. */
  public long largestPushedPartitionBytes() {
    return client.localOutput().background().skipPartitionBytes();
  }

  /**
   * The client that all tasks of this process share.
   *
   * @param executorId Spark's name for this process
   */
  public SluiceClient newClient(String application, String executorId) {
    return SluiceClient.start(client, application, "spark-" + executorId);
  }

  /**
   * The name as a cluster with authentication knows it, where this driver can prove who it is.
   *
   * @param systemUser of the operating system
   */
  public String nameOnCluster(String application, String systemUser) {
    return ClientIdentity.applicationName(
        client.security(), systemUser, System.getenv(), application);
  }

  /**
   * The name under which coordinators and servers know the application: Spark's id for it, kept to
   * the characters and length that they allow, made unique by the time of its start.
   */
  public static String applicationName(String sparkId, long startedMs) {
    String suffix = "_" + startedMs;
    String allowed = sparkId.replaceAll("[^A-Za-z0-9._-]", "-");
    int room = 256 - suffix.length();
    return (allowed.length() > room ? allowed.substring(0, room) : allowed) + suffix;
  }
}
