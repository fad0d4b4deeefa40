package io.sluice.spark;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the driver changes in Spark's own configuration, and why ({@code docs/decisions/0003}).
 * Called once, before the parts of Spark that read these keys are made.
 */
public final class SparkDefaults {
  /** Task attempts share ids under this one, so their outputs could not be told apart. */
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
          "map outputs are not in local files that it could push",
          "spark.files.fetchFailure.unRegisterOutputOnHost",
          "all map outputs name one placeholder host");

  private SparkDefaults() {}

  /** Changes {@code conf} in place. */
  public static void apply(SparkConf conf) {
    UNLESS_SET.forEach(conf::setIfMissing);
    FORCED_OFF.forEach(
        (key, why) -> {
          if (conf.getBoolean(key, false)) {
            LOG.warn("switched off by Sluice key={} reason=\"{}\"", key, why);
          }
          conf.set(key, "false");
        });
    trackBuiltInShuffles(conf);
  }

  /**
   * A shuffle may use the built-in shuffle at any time, and then its files must outlive idle
   * executors. Spark asks for the same conditions when it starts.
   */
  private static void trackBuiltInShuffles(SparkConf conf) {
    boolean released = conf.getBoolean("spark.dynamicAllocation.enabled", false);
    boolean served = conf.getBoolean("spark.shuffle.service.enabled", false);
    if (released && !served && !movesFiles(conf) && !conf.getBoolean(SHUFFLE_TRACKING, true)) {
      LOG.warn(
          "switched on by Sluice key={} reason=\"executors must keep the files of shuffles that"
              + " use Spark's built-in shuffle\"",
          SHUFFLE_TRACKING);
      conf.set(SHUFFLE_TRACKING, "true");
    }
  }

  /** Whether an executor hands its shuffle files to another one before it is released. */
  private static boolean movesFiles(SparkConf conf) {
    return conf.getBoolean("spark.decommission.enabled", false)
        && conf.getBoolean("spark.storage.decommission.enabled", false)
        && conf.getBoolean("spark.storage.decommission.shuffleBlocks.enabled", false);
  }
}
