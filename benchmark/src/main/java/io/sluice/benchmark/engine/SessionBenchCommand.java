package io.sluice.benchmark.engine;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkStaging;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench session}. */
@Command(
    name = "session",
    description = {
      "Run the queries of TPC-DS in one Spark application, and compare the bytes that servers "
          + "store with the bytes that a later task of the application reads.",
      "A first application deletes shuffles when Spark removes them, a second one early. Rows are "
          + "compared. `bench report` draws the course from the file of --json.",
      "All processes are started on loopback and stopped at the end."
    },
    sortOptions = false)
public final class SessionBenchCommand extends TpcBenchCommand {
  private static final Map<String, String> EARLY =
      Map.of("spark.rss.cleanup.consumed.time", "1s", "spark.rss.cleanup.expire.time", "1s");

  @Option(
      names = "--cleanup-conf",
      paramLabel = "KEY=VALUE",
      description =
          "Configuration key of the application that deletes early. Repeatable. Default: "
              + "spark.rss.cleanup.consumed.time=1s and spark.rss.cleanup.expire.time=1s.")
  private Map<String, String> cleanup = new LinkedHashMap<>();

  @Override
  protected Opening opening() throws DemoException {
    BenchPlan bench = benchPlan(1);
    SessionBench.Plan plan =
        new SessionBench.Plan(
            scale(),
            queries(Workload.TPCDS),
            Installation.queryTexts(Workload.TPCDS, System.getProperties()),
            cleanup.isEmpty() ? EARLY : Map.copyOf(cleanup),
            bench);
    SparkHome spark = spark();
    return (staging, progress) ->
        new SessionBench(plan, new SparkStaging(staging, spark), progress);
  }
}
