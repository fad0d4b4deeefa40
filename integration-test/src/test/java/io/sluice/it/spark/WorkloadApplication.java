package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.driver.Workload;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Applications with the tables and queries of TPC-H or TPC-DS, and with Comet. */
final class WorkloadApplication {
  /** Time limit of one application, which runs up to 103 queries. */
  private static final Duration LIMIT = Duration.ofMinutes(60);

  private WorkloadApplication() {}

  /**
   * Adds a workload. The job {@code tpch/data} creates its tables, {@code tpch/1} runs a query.
   *
   * @param data directory of the tables
   */
  static SparkApplication with(
      Workload workload, Path data, String scale, SparkApplication application) {
    return application
        .withDemoDriver()
        .set("spark.sql.datetime.java8API.enabled", "true")
        // With few rows, some TPC-DS queries divide by zero, which is an error in Spark 4.
        .set("spark.sql.ansi.enabled", "false")
        .set("spark.sluice.test.workload.directory", data.toString())
        .set("spark.sluice.test.workload.query.texts", SparkVersion.tpcdsQueries().toString())
        .set("spark.sluice.test.workload.scale", scale)
        .endAfter(LIMIT);
  }

  /** Makes joins shuffle, from many map tasks also with small tables. */
  static SparkApplication withManyExchanges(SparkApplication application) {
    return application
        .set("spark.sql.files.maxPartitionBytes", "512k")
        .set("spark.sql.files.openCostInBytes", "0")
        .set("spark.sql.autoBroadcastJoinThreshold", "-1");
  }

  /** Adds Comet, which plans its exchanges if the application uses Sluice. */
  static SparkApplication withComet(SparkApplication application) {
    return application
        .withJar(SparkVersion.cometJar())
        .set("spark.plugins", "org.apache.spark.CometPlugin")
        .set("spark.memory.offHeap.enabled", "true")
        .set("spark.memory.offHeap.size", "512m");
  }

  static void assertSucceeded(Outcome outcome, List<String> jobs) {
    assertThat(outcome.exitCode()).as(outcome.log()).isZero();
    for (String job : jobs) {
      assertThat(outcome.error(job)).as(outcome.log()).isEmpty();
    }
  }
}
