package io.sluice.benchmark.engine;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.CometJarOption;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkStaging;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench queries}. */
@Command(
    name = "queries",
    description = {
      "Run the queries of TPC-H or TPC-DS alternately with Spark's built-in shuffle and through "
          + "Sluice, and compare elapsed time, CPU time and bytes, in total and for each query.",
      "With --baseline and --candidate: other pairs, such as Comet with its built-in shuffle and "
          + "Comet through Sluice.",
      "With --baseline-conf, both sides use Sluice, with different keys.",
      "All processes are started on loopback and stopped at the end."
    },
    sortOptions = false)
public final class QueryBenchCommand extends TpcBenchCommand {
  @Option(
      names = "--workload",
      paramLabel = "NAME",
      defaultValue = "tpch",
      description = "Data and queries: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Workload workload;

  @Option(
      names = "--applications",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of pairs of new Spark applications. Default: ${DEFAULT-VALUE}.")
  private int applications;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Number of runs of all queries in each application before the measured ones. Default: "
              + "${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Number of measured runs of all queries in each application. Default: "
              + "${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--baseline",
      paramLabel = "ENGINE",
      description =
          "Engine and shuffle of the first side: ${COMPLETION-CANDIDATES}. Default: spark, or"
              + " spark+sluice with --baseline-conf.")
  private QuerySide baseline;

  @Option(
      names = "--candidate",
      paramLabel = "ENGINE",
      defaultValue = "spark+sluice",
      description =
          "Engine and shuffle of the second side: ${COMPLETION-CANDIDATES}. Default: "
              + "${DEFAULT-VALUE}.")
  private QuerySide candidate;

  @Option(
      names = "--baseline-conf",
      paramLabel = "KEY=VALUE",
      description =
          "Configuration key of a baseline that uses Sluice instead of the built-in shuffle. "
              + "Repeatable.")
  private Map<String, String> baselineConf = new LinkedHashMap<>();

  @Mixin private CometJarOption cometJar = new CometJarOption();

  @Override
  protected Opening opening() throws DemoException {
    atLeastOne("--applications", applications);
    atLeast(0, "--warm-ups", warmUps);
    List<String> chosen = queries(workload);
    BenchPlan bench = benchPlan(rounds);
    QuerySide first = firstSide();
    boolean withComet = first.usesComet() || candidate.usesComet();
    if (cometJar.isGiven() && !withComet) {
      throw DemoException.usage("--comet-jar: no side uses Comet");
    }
    if (optionOfSluice() != null && !first.usesSluice() && !candidate.usesSluice()) {
      throw DemoException.usage(optionOfSluice() + ": no side uses Sluice");
    }
    SparkHome spark = spark();
    QueryBench.Plan plan =
        new QueryBench.Plan(
            workload,
            scale(),
            chosen,
            Installation.queryTexts(workload, System.getProperties()),
            applications,
            warmUps,
            first,
            candidate,
            Map.copyOf(baselineConf),
            withComet
                ? Optional.of(cometJar.find(spark, System.getProperties()))
                : Optional.empty(),
            bench);
    return (staging, progress) -> new QueryBench(plan, new SparkStaging(staging, spark), progress);
  }

  private QuerySide firstSide() throws DemoException {
    if (baseline == null) {
      return baselineConf.isEmpty() ? QuerySide.SPARK : QuerySide.SPARK_ON_SLUICE;
    }
    if (!baselineConf.isEmpty() && !baseline.usesSluice()) {
      throw DemoException.usage("--baseline-conf: --baseline " + baseline + " does not use Sluice");
    }
    return baseline;
  }
}
