package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.WorkloadData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Starts Spark applications that run the queries of a workload, with two executors of one core.
 *
 * @param queryTexts see {@link DriverSettings}
 * @param spark borrowed
 */
record QueryApplications(
    Workload workload,
    double scale,
    Optional<Path> queryTexts,
    BenchPlan bench,
    SparkStaging spark) {

  /** Generates the tables unless they exist. */
  Path data(DemoProgress progress) throws DemoException, IOException, InterruptedException {
    return WorkloadData.ensure(workload, scale, spark, progress);
  }

  /** Configuration of each application. */
  Map<String, String> conf() {
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local-cluster[2,1,1024]");
    conf.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    conf.putAll(bench.conf());
    return conf;
  }

  /** Configuration of an application that uses Sluice, in addition to {@link #conf}. */
  Map<String, String> sluiceConf() throws DemoException {
    Map<String, String> conf = new TreeMap<>(spark.sluiceConf());
    conf.putAll(bench.sluice().conf());
    return conf;
  }

  /**
   * Starts a driver without waiting until it is ready.
   *
   * @param name name of the log file
   * @param directory of the files of the application
   * @param data directory of the tables
   */
  DriverProcess start(
      String name, Path directory, List<Path> jars, Map<String, String> conf, Path data)
      throws IOException {
    Path rows = Files.createDirectories(directory.resolve("rows"));
    return spark.startDriver(
        name,
        jars,
        "io.sluice.demo.spark.QueryDriver",
        // A separate Spark home: applications started in the same second have the same id and
        // would share the executors' directories.
        spark.sparkHome(directory),
        new DriverSettings(workload, queryTexts, scale, data, rows, conf),
        directory);
  }
}
