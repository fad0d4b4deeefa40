package io.sluice.benchmark.engine;

import io.sluice.demo.ComparisonCommand;
import io.sluice.demo.staging.DemoException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of every command that measures Sluice against an engine's built-in shuffle. */
abstract class EngineBenchCommand extends ComparisonCommand {
  /** Behind the options of the command itself, before those of {@link ComparisonCommand}. */
  private static final int ORDER = 50;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      order = ORDER,
      description = "Configuration of the jobs of both sides.")
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
          "Memory of each server for shuffle data (rss.server.buffer.capacity). Default: ${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--sluice-conf",
      paramLabel = "KEY=VALUE",
      order = ORDER,
      description = "Configuration of the jobs through Sluice, such as its own keys.")
  private Map<String, String> sluiceConf = new LinkedHashMap<>();

  @Option(
      names = "--server-java-option",
      paramLabel = "OPTION",
      order = ORDER,
      description = "An option for the JVM of each server of Sluice, for example to profile it.")
  private List<String> serverJavaOptions = List.of();

  @Override
  protected final String prefix() {
    return "bench-";
  }

  /**
   * Checks the shared options and the two whose defaults differ.
   *
   * @throws DemoException if one is out of range
   */
  final BenchPlan benchPlan(int rounds, int jobTimeoutMinutes) throws DemoException {
    atLeastOne("--rounds", rounds);
    atLeastOne("--job-timeout", jobTimeoutMinutes);
    atLeastOne("--servers", servers);
    return new BenchPlan(
        rounds,
        new SluiceSide(
            servers, bufferCapacity, Map.copyOf(sluiceConf), List.copyOf(serverJavaOptions)),
        Duration.ofMinutes(jobTimeoutMinutes),
        conf,
        keep());
  }
}
