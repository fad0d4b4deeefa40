package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverSettings;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Opens the session of a driver from its settings alone. */
final class SparkSessions {
  private SparkSessions() {}

  static SparkSession open(String name, DriverSettings settings) {
    SparkConf conf = new SparkConf(false).setAppName(name);
    settings.spark().forEach(conf::set);
    // Dates as java.time.LocalDate on both ways in and out of rows.
    conf.set("spark.sql.datetime.java8API.enabled", "true");
    return SparkSession.builder().config(conf).getOrCreate();
  }
}
