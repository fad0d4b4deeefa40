package org.apache.spark.shuffle;

import org.apache.spark.SparkConf;

/**
 * {@link RssShuffleManager} by the name that users of Apache Uniffle know. There, it chooses
 * between Uniffle and the built-in shuffle when the application starts; here, {@code
 * RssShuffleManager} falls back for each shuffle by itself.
 */
public final class DelegationRssShuffleManager extends RssShuffleManager {
  /** Called by Spark. */
  public DelegationRssShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf, isDriver);
  }
}
