package org.apache.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does nothing. Configurations for Apache Uniffle name it in {@code spark.plugins} for a tab in
 * Spark's UI; Sluice adds its tab without a plugin.
 */
public final class UnifflePlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(UnifflePlugin.class);

  @Override
  public DriverPlugin driverPlugin() {
    LOG.info(
        "spark.plugins names org.apache.spark.UnifflePlugin, which has no use with Sluice; remove"
            + " it");
    return null;
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }
}
