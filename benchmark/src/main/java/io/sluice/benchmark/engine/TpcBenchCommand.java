package io.sluice.benchmark.engine;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the benchmarks that run the queries of TPC-H or TPC-DS. */
abstract class TpcBenchCommand extends EngineBenchCommand {
  /** Position in the help: after the options of the command. */
  private static final int ORDER = 20;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      order = ORDER,
      description =
          "Scale factor of the data; 1 is about 1 GB before compression. Default: "
              + "${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--queries",
      paramLabel = "LIST",
      order = ORDER,
      description = "Queries to run, such as 1,3,5-7. Default: all.")
  private String queries;

  @Option(
      names = "--query-timeout",
      paramLabel = "MINUTES",
      defaultValue = "10",
      order = ORDER,
      description = "Timeout of one query. Default: ${DEFAULT-VALUE}.")
  private int queryTimeoutMinutes;

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  /** The checked scale factor. */
  final double scale() throws DemoException {
    scale(scale);
    return scale;
  }

  /** The chosen queries of a workload. */
  final List<String> queries(Workload workload) throws DemoException {
    return queries(workload, queries);
  }

  final SparkHome spark() throws DemoException {
    return sparkHome.find(System.getenv());
  }

  /** Checks the shared options. */
  final BenchPlan benchPlan(int rounds) throws DemoException {
    return benchPlan(rounds, "--query-timeout", queryTimeoutMinutes);
  }
}
