package io.sluice.spark;

import io.sluice.client.CleanupConfig;
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
 * The plugin's configuration: the keys {@code spark.rss.*}, and the shuffle keys of Spark that
 * Sluice also applies. Immutable.
 */
public final class PluginConfig {
  private static final Logger LOG = LoggerFactory.getLogger(PluginConfig.class);
  private static final String PREFIX = "spark.";
  private static final String CODEC_KEY = "spark.io.compression.codec";
  private static final String ZSTD_LEVEL_KEY = "spark.io.compression.zstd.level";
  private static final String SPARK_ZSTD_LEVEL = "1";
  private static final String SLUICE_ZSTD_LEVEL_KEYS = "spark.rss.client.io.compression.zstd.";
  private static final String SLUICE_ZSTD_LEVEL_KEY = SLUICE_ZSTD_LEVEL_KEYS + "level";
  private static final int DEFAULT_OPEN_STREAMS = 200;

  private final ClientConfig client;
  private final int maxOpenStreams;
  private final long autoLocalBytes;
  private final boolean rowPlanes;
  private final CleanupConfig cleanup;
  private final List<String> notices;

  private PluginConfig(
      ClientConfig client,
      int maxOpenStreams,
      long autoLocalBytes,
      boolean rowPlanes,
      CleanupConfig cleanup,
      List<String> notices) {
    this.client = client;
    this.maxOpenStreams = maxOpenStreams;
    this.autoLocalBytes = autoLocalBytes;
    this.rowPlanes = rowPlanes;
    this.cleanup = cleanup;
    this.notices = notices;
  }

  /**
   * Reads the configuration of an application.
   *
   * @throws io.sluice.common.config.ConfigException names every invalid value
   */
  public static PluginConfig of(SparkConf conf) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      values.put(entry._1(), entry._2());
    }
    if (values.keySet().stream().noneMatch(key -> key.startsWith(SLUICE_ZSTD_LEVEL_KEYS))) {
      values.put(SLUICE_ZSTD_LEVEL_KEY, conf.get(ZSTD_LEVEL_KEY, SPARK_ZSTD_LEVEL));
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
        set.get(ClientConfig.ROW_PLANES),
        CleanupConfig.from(set),
        List.copyOf(notices));
  }

  /**
   * Fetches the client settings that the operator configured at the coordinator and adds them to
   * {@code conf}, from which executors receive them. If one setting is invalid, all are ignored,
   * with one warning.
   *
   * @param user operating-system user of the application
   * @return the settings of the coordinator
   */
  public static ServedSettings applyServedSettings(
      SparkConf conf, String user, Map<String, String> environment) {
    ServedSettings served =
        ServedSettings.fetch(of(conf).client(), user, environment, System::nanoTime);
    applyServed(conf, served);
    return served;
  }

  static void applyServed(SparkConf conf, ServedSettings served) {
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
          "ignoring all client settings from the coordinator: a value is invalid reason=\"{}\"",
          e.getMessage());
      return;
    }
    changes.forEach(conf::set);
    LOG.info("client settings from the coordinator applied settings={}", changes);
  }

  private static BlockCodec codec(SparkConf conf, List<String> notices) {
    if (!conf.getBoolean("spark.shuffle.compress", true)) {
      return BlockCodec.NONE;
    }
    String name = conf.get(CODEC_KEY, "lz4");
    // Either a short name or the class name of Spark's codec.
    String shortName =
        name.replaceFirst("^org\\.apache\\.spark\\.io\\.(\\w+)CompressionCodec$", "$1");
    return switch (shortName.toLowerCase(Locale.ROOT)) {
      case "lz4" -> BlockCodec.LZ4;
      case "zstd" -> BlockCodec.ZSTD;
      case "snappy" -> BlockCodec.SNAPPY;
      default -> {
        notices.add(
            CODEC_KEY + "=" + name + " is not supported (lz4, zstd, snappy); blocks use lz4");
        yield BlockCodec.LZ4;
      }
    };
  }

  /** Logs one warning for every problem found in the configuration. */
  public void logNotices() {
    notices.forEach(notice -> LOG.warn("configuration: {}", notice));
  }

  List<String> notices() {
    return notices;
  }

  ClientConfig client() {
    return client;
  }

  /** When map tasks write blocks to local output. */
  public LocalOutputMode localOutput() {
    return client.localOutput().mode();
  }

  /** Maximum number of replacement and additional servers of a shuffle; 0: none. */
  public int maxReplacementServers() {
    return client.reassign().maxServers();
  }

  /** Compression codec of blocks. */
  public BlockCodec codec() {
    return client.push().codec();
  }

  /** Whether blocks with rows of Spark SQL are encoded before compression. */
  public boolean rowPlanes() {
    return rowPlanes;
  }

  /** When the driver has shuffles deleted that no running job uses. */
  public CleanupConfig cleanup() {
    return cleanup;
  }

  /** Uncompressed size of a block, in bytes, unless one record is larger. */
  public int blockBytes() {
    return client.writer().blockBytes();
  }

  /** Task memory, in bytes, at which a writer pushes its buffered records. */
  public long spillBytes() {
    return client.writer().spillBytes();
  }

  /** Maximum known input, in bytes, for which a shuffle uses Spark's built-in shuffle; 0: never. */
  public long autoLocalBytes() {
    return autoLocalBytes;
  }

  /** Maximum number of partitions for which a writer keeps one open serialization stream each. */
  public int maxOpenStreams() {
    return maxOpenStreams;
  }

  /** How long readers wait for output that is still pushed in the background. */
  public ReadWaitConfig readWait() {
    return client.localOutput().readWait();
  }

  /** Maximum bytes of one partition in an attempt's output that are pushed in the background. */
  public long largestPushedPartitionBytes() {
    return client.localOutput().background().maxPartitionBytes();
  }

  /**
   * Starts the client that all tasks of this process share.
   *
   * @param executorId Spark's id of this process
   */
  public SluiceClient newClient(String application, String executorId) {
    return SluiceClient.start(client, application, "spark-" + executorId);
  }

  /**
   * The application's name on a cluster with authentication; {@code application} if this driver has
   * no credentials.
   *
   * @param systemUser operating-system user of the driver
   */
  public String nameOnCluster(String application, String systemUser) {
    return ClientIdentity.applicationName(
        client.security(), systemUser, System.getenv(), application);
  }

  /**
   * The application's name at coordinators and servers: Spark's application id, reduced to the
   * allowed characters and length, and made unique by the start time.
   */
  public static String applicationName(String sparkId, long startedMs) {
    String suffix = "_" + startedMs;
    String allowed = sparkId.replaceAll("[^A-Za-z0-9._-]", "-");
    int room = 256 - suffix.length();
    return (allowed.length() > room ? allowed.substring(0, room) : allowed) + suffix;
  }
}
