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

  private static final Logger LOG = LoggerFactory.getLogger(SparkDefaults.class);

  private static final Map<String, String> UNLESS_SET =
      Map.of(
          "spark.shuffle.sort.io.plugin.class",
          "org.apache.spark.shuffle.RssShuffleDataIo",
          "spark.sql.adaptive.localShuffleReader.enabled",
          "false",
          "spark.dynamicAllocation.shuffleTracking.enabled",
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
  }
}
