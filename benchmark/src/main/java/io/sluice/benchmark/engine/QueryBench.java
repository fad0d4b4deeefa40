package io.sluice.benchmark.engine;

import io.sluice.benchmark.engine.QueryRound.Turn;
import io.sluice.demo.ComparedResults;
import io.sluice.demo.Comparison;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.CometConf;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverPair;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.WorkloadData;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Runs the queries of a workload on two sides, and measures time, CPU time and bytes of each query.
 *
 * <p>As in the demo, two applications run at the same time and execute each query one after the
 * other, so that both are equally warm and affected by the same load of the machine. The side that
 * starts alternates between queries and between runs of all queries.
 */
final class QueryBench implements Comparison {
  /**
   * Parameters of a benchmark.
   *
   * @param queryTexts see {@link DriverSettings}
   * @param applications number of pairs of applications, one pair after the other
   * @param warmUps runs of all queries in each application before the measured ones
   * @param baseline engine and shuffle of the baseline
   * @param candidate engine and shuffle of the other side
   * @param baselineConf keys of a baseline that uses Sluice
   * @param comet jar of Comet; empty if no side uses it
   */
  record Plan(
      Workload workload,
      double scale,
      List<String> queries,
      Optional<Path> queryTexts,
      int applications,
      int warmUps,
      QuerySide baseline,
      QuerySide candidate,
      Map<String, String> baselineConf,
      Optional<Path> comet,
      BenchPlan bench) {

    private QuerySide of(Side side) {
      return side == Side.BUILT_IN ? baseline : candidate;
    }

    /** Names of both sides in headings. */
    private String name(Side side) {
      if (candidate != QuerySide.SPARK_ON_SLUICE || baseline.usesComet()) {
        return of(side).toString();
      }
      if (side == Side.SLUICE) {
        return "Sluice";
      }
      return baseline.usesSluice() ? "baseline" : "built-in";
    }
  }

  private final Plan plan;
  private final BenchPlan bench;
  private final SparkStaging spark;
  private final Staging staging;
  private final QueryApplications applications;
  private final DemoProgress progress;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  QueryBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.bench = plan.bench();
    this.spark = spark;
    this.staging = spark.staging();
    this.applications =
        new QueryApplications(plan.workload(), plan.scale(), plan.queryTexts(), bench, spark);
    this.progress = progress;
  }

  @Override
  public QueryTable run() throws DemoException, IOException, InterruptedException {
    Path data = applications.data(progress);
    bench.sluice().start(staging);
    WorkloadData.readAhead(data);
    List<QueryRound> measured = new ArrayList<>();
    try (ClusterProbe probe = new ClusterProbe(staging.cluster())) {
      for (int application = 0; application < plan.applications(); application++) {
        progress.step("starting two Spark applications; runs to warm up: " + plan.warmUps());
        int number = application;
        try (DriverPair drivers = DriverPair.start(side -> startDriver(side, number, data))) {
          for (int run = -plan.warmUps(); run < bench.rounds(); run++) {
            runQueries(drivers, probe, number, run, measured);
          }
        }
      }
    }
    return new QueryTable(measured, plan.name(Side.BUILT_IN), plan.name(Side.SLUICE));
  }

  /**
   * Runs all queries once.
   *
   * @param run negative to warm up
   * @param measured receives the results if the run does not warm up
   */
  private void runQueries(
      DriverPair drivers, ClusterProbe probe, int application, int run, List<QueryRound> measured)
      throws DemoException, IOException, InterruptedException {
    int total = plan.applications() * bench.rounds() * plan.queries().size();
    int pass = application * bench.rounds() + run;
    Side first = Side.first(application + run + plan.warmUps());
    int warmed = 0;
    for (String query : plan.queries()) {
      QueryRound round = round(drivers, probe, query, first, pass);
      first = first == Side.BUILT_IN ? Side.SLUICE : Side.BUILT_IN;
      if (run >= 0) {
        measured.add(round);
        progress.result(measured.size(), total, summary(round));
      } else {
        progress.advance(++warmed, plan.queries().size(), "queries to warm up");
      }
    }
  }

  private QueryRound round(
      DriverPair drivers, ClusterProbe probe, String query, Side first, int pass)
      throws DemoException, IOException, InterruptedException {
    ComparedResults<Turn> turns =
        ComparedResults.sequentially(first, side -> turn(drivers.of(side), side, probe, query));
    return new QueryRound(pass, turns.builtIn(), turns.sluice());
  }

  private Turn turn(DriverProcess driver, Side side, ClusterProbe probe, String query)
      throws DemoException, IOException, InterruptedException {
    List<ProcessHandle> nodes =
        plan.of(side).usesSluice() ? SideCpu.processes(staging.nodes()) : List.of();
    ClusterCounters countersBefore = probe.counters();
    SideCpu cpuBefore = SideCpu.of(driver.process(), nodes);
    driver.run(query);
    DriverMessage.Result result = driver.await(DriverMessage.Result.class, bench.jobTimeout());
    SideCpu cpu = SideCpu.of(driver.process(), nodes).since(cpuBefore);
    ClusterCounters counters = probe.counters().since(countersBefore);
    return new Turn(result, cpu, counters.pushedBytes(), counters.fetchedBytes());
  }

  private static String summary(QueryRound round) {
    return String.format(
        Locale.ROOT,
        "query %s: time %.2f and %.2f s, CPU %.2f and %.2f s%s",
        round.query(),
        round.baseline().seconds(),
        round.candidate().seconds(),
        round.baseline().cpuSeconds(),
        round.candidate().cpuSeconds(),
        round.isSame() ? "" : ", DIFFERENT ROWS");
  }

  private DriverProcess startDriver(Side side, int application, Path data)
      throws DemoException, IOException {
    Map<String, String> conf = applications.conf();
    if (plan.of(side).usesSluice()) {
      conf.putAll(spark.sluiceConf());
      conf.putAll(side == Side.SLUICE ? bench.sluice().conf() : plan.baselineConf());
    }
    List<Path> jars = new ArrayList<>(spark.plugin(conf));
    if (plan.of(side).usesComet()) {
      jars.add(plan.comet().orElseThrow());
      CometConf.addTo(conf, jars);
    }
    String name = side == Side.BUILT_IN ? "baseline" : "candidate";
    return applications.start(
        name, staging.directory().resolve(name + "-" + application), jars, conf, data);
  }

  /** Keeps logs, settings and rows if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    return staging.removeFiles(
        good && !bench.keep(),
        List.of("spark-local", "spark-home", WorkloadData.UNFINISHED, "warehouse"));
  }
}
