package io.sluice.benchmark.engine;

import io.sluice.cli.bench.ResultOptions;
import io.sluice.demo.Comparison;
import io.sluice.demo.ComparisonCommand;
import io.sluice.demo.staging.DemoException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of all benchmarks that compare an engine's built-in shuffle with Sluice. */
abstract class EngineBenchCommand extends ComparisonCommand {
  /**
   * Position in the help: after the options of the command, before those of {@link
   * ComparisonCommand}.
   */
  private static final int ORDER = 50;

  @Mixin private ResultOptions results;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      order = ORDER,
      description = "Configuration key of the jobs of both sides. Repeatable.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "2",
      order = ORDER,
      description = "Number of shuffle servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--buffer-capacity",
      paramLabel = "SIZE",
      defaultValue = "256MiB",
      order = ORDER,
      description =
          "Memory of each server for shuffle data (rss.server.buffer.capacity). Default: "
              + "${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--sluice-conf",
      paramLabel = "KEY=VALUE",
      order = ORDER,
      description = "Configuration key of the jobs that use Sluice. Repeatable.")
  private Map<String, String> sluiceConf = new LinkedHashMap<>();

  @Option(
      names = "--server-conf",
      paramLabel = "KEY=VALUE",
      order = ORDER,
      description = "Configuration key of each shuffle server. Repeatable.")
  private Map<String, String> serverConf = new LinkedHashMap<>();

  @Option(
      names = "--server-java-option",
      paramLabel = "OPTION",
      order = ORDER,
      description = "JVM option of each shuffle server, for example for a profiler. Repeatable.")
  private List<String> serverJavaOptions = List.of();

  @Override
  protected final void publish(Comparison.Outcome outcome) throws IOException {
    TabledOutcome tabled = (TabledOutcome) outcome;
    results.write(tabled.tables(), tabled.notes());
  }

  @Override
  protected final String prefix() {
    return "bench-";
  }

  /** The first option that was given and needs a side with Sluice; null if there is none. */
  final String optionOfSluice() {
    if (!sluiceConf.isEmpty()) {
      return "--sluice-conf";
    }
    if (!serverConf.isEmpty()) {
      return "--server-conf";
    }
    return serverJavaOptions.isEmpty() ? null : "--server-java-option";
  }

  /**
   * Checks the shared options and two options whose defaults differ between the benchmarks.
   *
   * @param timeoutOption name of the option with the timeout of a job or query
   * @throws DemoException if one is out of range
   */
  final BenchPlan benchPlan(int rounds, String timeoutOption, int timeoutMinutes)
      throws DemoException {
    atLeastOne("--rounds", rounds);
    atLeastOne(timeoutOption, timeoutMinutes);
    atLeastOne("--servers", servers);
    return new BenchPlan(
        rounds,
        new SluiceSide(
            servers,
            bufferCapacity,
            Map.copyOf(sluiceConf),
            Map.copyOf(serverConf),
            List.copyOf(serverJavaOptions)),
        Duration.ofMinutes(timeoutMinutes),
        conf,
        keep());
  }
}
