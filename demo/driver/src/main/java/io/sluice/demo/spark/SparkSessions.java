package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverSettings;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Opens the Spark session of a driver from its settings. */
final class SparkSessions {
  private SparkSessions() {}

  static SparkSession open(String name, DriverSettings settings) {
    SparkConf conf = new SparkConf(false).setAppName(name);
    settings.spark().forEach(conf::set);
    // Use java.time.LocalDate for dates in rows.
    conf.set("spark.sql.datetime.java8API.enabled", "true");
    return SparkSession.builder().config(conf).getOrCreate();
  }
}
