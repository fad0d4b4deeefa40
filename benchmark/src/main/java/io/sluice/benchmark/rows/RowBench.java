package io.sluice.benchmark.rows;

import io.sluice.common.block.BlockCodec;
import io.sluice.demo.Comparison;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.WorkloadData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Logs the rows of the exchanges of queries with Spark's built-in shuffle, then replays the logs in
 * this process.
 */
final class RowBench implements Comparison {
  private static final Duration QUERY_TIMEOUT = Duration.ofMinutes(20);
  private static final String LOGS = "logs";

  /**
   * Parameters of a benchmark.
   *
   * @param sampleBytes logged bytes of an exchange
   * @param passes replays; the last one is measured
   * @param shownBytes minimum bytes of an exchange with its own line
   */
  record Plan(
      List<Workload> workloads,
      double scale,
      int partitions,
      List<BlockCodec> codecs,
      long sampleBytes,
      int passes,
      long shownBytes,
      boolean keep) {}

  private final Plan plan;
  private final SparkStaging spark;
  private final Staging staging;
  private final DemoProgress progress;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  RowBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.spark = spark;
    this.staging = spark.staging();
    this.progress = progress;
  }

  @Override
  public RowTable run() throws DemoException, IOException, InterruptedException {
    Path logs = Files.createDirectories(staging.directory().resolve(LOGS));
    for (Workload workload : plan.workloads()) {
      log(workload, logs);
    }
    List<Path> files;
    try (Stream<Path> all = Files.list(logs)) {
      files = all.sorted().toList();
    }
    RowTable table = new RowTable(plan.shownBytes());
    for (BlockCodec codec : plan.codecs()) {
      for (int pass = 0; pass < plan.passes(); pass++) {
        progress.step(codec + ": replay " + (pass + 1) + " of " + plan.passes());
        for (int i = 0; i < files.size(); i++) {
          RowExchange measured = RowReplay.of(files.get(i), codec);
          if (pass == plan.passes() - 1) {
            table.add(measured);
          }
          progress.advance(i + 1, files.size(), "exchanges");
        }
      }
    }
    return table;
  }

  private void log(Workload workload, Path logs)
      throws DemoException, IOException, InterruptedException {
    Path data = WorkloadData.ensure(workload, plan.scale(), spark, progress);
    List<String> queries = new ArrayList<>(workload.queries());
    if (workload == Workload.TPCH) {
      queries.add(ShuffleJob.REPARTITION.label());
    }
    progress.step(workload.title() + ": logging the exchanges of " + queries.size() + " queries");
    try (DriverProcess driver = startDriver(workload, data, logs)) {
      driver.await(DriverMessage.Ready.class, QUERY_TIMEOUT);
      for (int i = 0; i < queries.size(); i++) {
        driver.run(queries.get(i));
        driver.await(DriverMessage.JobDone.class, QUERY_TIMEOUT);
        progress.advance(i + 1, queries.size(), "queries");
      }
    }
  }

  private DriverProcess startDriver(Workload workload, Path data, Path logs)
      throws DemoException, IOException {
    Path directory = staging.directory().resolve(workload.toString());
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local[2]");
    conf.put("spark.local.dir", directory.resolve("spark-local").toString());
    conf.put("spark.shuffle.compress", "false");
    conf.put("spark.shuffle.manager", "io.sluice.demo.spark.RowLogManager");
    // The driver deletes map output after it has been logged.
    conf.put("spark.cleaner.referenceTracking", "false");
    conf.put("spark.sql.shuffle.partitions", Integer.toString(plan.partitions()));
    conf.put("spark.sluice.bench.sample", Long.toString(plan.sampleBytes()));
    return spark.startDriver(
        Side.BUILT_IN,
        "io.sluice.demo.spark.RowLogDriver",
        spark.sparkHome(directory),
        new DriverSettings(
            workload,
            Installation.queryTexts(workload, System.getProperties()),
            plan.scale(),
            data,
            logs,
            conf),
        directory);
  }

  /** Keeps the logs if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    return staging.removeFiles(
        good && !plan.keep(), List.of("spark-local", WorkloadData.UNFINISHED, "warehouse"));
  }
}
