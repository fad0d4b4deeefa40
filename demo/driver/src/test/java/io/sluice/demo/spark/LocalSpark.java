package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.Workload;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.SparkSession;

/** Spark in the JVM of a test, with its files in the directory of the test. */
final class LocalSpark {
  private LocalSpark() {}

  static Map<String, String> conf(Path directory) {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.master", "local[2]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put("spark.driver.bindAddress", "127.0.0.1");
    conf.put("spark.sql.shuffle.partitions", "3");
    // With few parts, query 17 of TPC-H selects no part, and adaptive execution would return the
    // result while its shuffle data is still being written.
    conf.put("spark.sql.adaptive.enabled", "false");
    conf.put("spark.local.dir", directory.resolve("local").toString());
    conf.put("spark.sql.warehouse.dir", directory.resolve("warehouse").toString());
    return conf;
  }

  static SparkSession open(String name, Path directory) {
    return SparkSessions.open(
        name,
        new DriverSettings(
            Workload.TPCDS, Optional.empty(), 1, directory, directory, conf(directory)));
  }
}
