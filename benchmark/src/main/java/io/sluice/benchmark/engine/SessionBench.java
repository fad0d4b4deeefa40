package io.sluice.benchmark.engine;

import io.sluice.benchmark.engine.SessionTable.QueryRun;
import io.sluice.benchmark.engine.SessionTable.Session;
import io.sluice.demo.Comparison;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.WorkloadData;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs the queries of TPC-DS in two applications, one after the other: without deletion by the
 * plugin, and with early deletion. Compares the bytes that servers store with those that a later
 * task of the same application reads.
 */
final class SessionBench implements Comparison {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration EMPTY_TIMEOUT = Duration.ofMinutes(2);

  /** Shuffles are deleted when Spark removes them. */
  private static final Map<String, String> WITHOUT =
      Map.of(
          "spark.rss.cleanup.idle.time", "0",
          "spark.rss.cleanup.expire.time", "0",
          "spark.rss.cleanup.consumed.time", "0");

  /**
   * Parameters of a benchmark.
   *
   * @param queryTexts see {@link QueryApplications}
   * @param cleanup keys of the application with early deletion
   */
  record Plan(
      double scale,
      List<String> queries,
      Optional<Path> queryTexts,
      Map<String, String> cleanup,
      BenchPlan bench) {}

  private final Plan plan;
  private final SparkStaging spark;
  private final Staging staging;
  private final QueryApplications applications;
  private final DemoProgress progress;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  SessionBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.spark = spark;
    this.staging = spark.staging();
    this.applications =
        new QueryApplications(Workload.TPCDS, plan.scale(), plan.queryTexts(), plan.bench(), spark);
    this.progress = progress;
  }

  @Override
  public SessionTable run() throws DemoException, IOException, InterruptedException {
    Path data = applications.data(progress);
    plan.bench().sluice().start(staging);
    WorkloadData.readAhead(data);
    return new SessionTable(
        session("without", WITHOUT, data), session("early", plan.cleanup(), data));
  }

  private Session session(String name, Map<String, String> cleanup, Path data)
      throws DemoException, IOException, InterruptedException {
    progress.step("session " + name + ": starting a Spark application");
    Path directory = Files.createDirectories(staging.directory().resolve(name));
    Path trace = directory.resolve("trace.txt");
    Map<String, String> conf = applications.conf();
    conf.putAll(applications.sluiceConf());
    conf.putAll(cleanup);
    conf.put("spark.extraListeners", "io.sluice.demo.spark.ShuffleTrace");
    conf.put("spark.sluice.bench.trace", trace.toString());
    List<QueryRun> runs = new ArrayList<>();
    StepCurve stored;
    try (StoredSampler sampler = new StoredSampler(staging)) {
      try (DriverProcess driver =
          applications.start(name, directory, spark.plugin(conf), conf, data)) {
        driver.await(DriverMessage.Ready.class, READY_TIMEOUT);
        for (String query : plan.queries()) {
          runs.add(run(driver, query));
          progress.advance(runs.size(), plan.queries().size(), "queries, session " + name);
        }
      }
      stored = sampler.end();
    }
    awaitEmptyServers();
    try (Stream<String> lines = Files.lines(trace)) {
      return new Session(runs, stored, NeededBytes.of(lines));
    }
  }

  private QueryRun run(DriverProcess driver, String query)
      throws DemoException, InterruptedException {
    long begin = System.currentTimeMillis();
    driver.run(query);
    DriverMessage.Result result =
        driver.await(DriverMessage.Result.class, plan.bench().jobTimeout());
    return new QueryRun(result, begin, System.currentTimeMillis());
  }

  /** So that the next session begins without bytes of this one. */
  private void awaitEmptyServers() throws IOException, InterruptedException {
    try (ClusterProbe probe = staging.probe()) {
      for (ClusterNode server : staging.cluster().servers()) {
        probe.awaitEmpty(server, EMPTY_TIMEOUT);
      }
    }
  }

  /** Keeps logs, traces and rows if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    return staging.removeFiles(
        good && !plan.bench().keep(),
        List.of("spark-local", "spark-home", WorkloadData.UNFINISHED, "warehouse"));
  }
}
