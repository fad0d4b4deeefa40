package io.sluice.spark;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark settings that the driver changes, with the reasons ({@code docs/decisions/0003}). Applied
 * once, before Spark reads these keys.
 */
public final class SparkDefaults {
  /** With this key, attempts of a task share one id, so their outputs cannot be distinguished. */
  public static final String OLD_FETCH_PROTOCOL = "spark.shuffle.useOldFetchProtocol";

  private static final String SHUFFLE_TRACKING = "spark.dynamicAllocation.shuffleTracking.enabled";

  private static final Logger LOG = LoggerFactory.getLogger(SparkDefaults.class);

  private static final Map<String, String> UNLESS_SET =
      Map.of(
          "spark.shuffle.sort.io.plugin.class",
          "org.apache.spark.shuffle.RssShuffleDataIo",
          "spark.sql.adaptive.localShuffleReader.enabled",
          "false");

  private static final Map<String, String> FORCED_OFF =
      Map.of(
          "spark.shuffle.push.enabled",
          "push-based shuffle needs local map output files",
          "spark.files.fetchFailure.unRegisterOutputOnHost",
          "all map outputs name one placeholder host");

  private SparkDefaults() {}

  /** Changes {@code conf} in place. */
  public static void apply(SparkConf conf) {
    UNLESS_SET.forEach(conf::setIfMissing);
    FORCED_OFF.forEach(
        (key, why) -> {
          if (conf.getBoolean(key, false)) {
            LOG.warn("Sluice sets a Spark key to false key={} reason=\"{}\"", key, why);
          }
          conf.set(key, "false");
        });
    trackBuiltInShuffles(conf);
  }

  /**
   * Any shuffle may fall back to the built-in shuffle; executors must then keep its files even when
   * they are idle. Spark checks the same conditions at start.
   */
  private static void trackBuiltInShuffles(SparkConf conf) {
    boolean released = conf.getBoolean("spark.dynamicAllocation.enabled", false);
    boolean served = conf.getBoolean("spark.shuffle.service.enabled", false);
    if (released && !served && !movesFiles(conf) && !tracksShuffles(conf)) {
      LOG.warn(
          "Sluice sets a Spark key to true key={} reason=\"executors must keep the files of"
              + " shuffles that use Spark's built-in shuffle\"",
          SHUFFLE_TRACKING);
      conf.set(SHUFFLE_TRACKING, "true");
    }
  }

  /** Asks Spark, whose default is false before 3.4. */
  private static boolean tracksShuffles(SparkConf conf) {
    return (boolean) conf.get(package$.MODULE$.DYN_ALLOCATION_SHUFFLE_TRACKING_ENABLED());
  }

  /** Whether an executor hands its shuffle files to another one before it is released. */
  private static boolean movesFiles(SparkConf conf) {
    return conf.getBoolean("spark.decommission.enabled", false)
        && conf.getBoolean("spark.storage.decommission.enabled", false)
        && conf.getBoolean("spark.storage.decommission.shuffleBlocks.enabled", false);
  }
}
