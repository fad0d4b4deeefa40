package io.sluice.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of every command that measures Sluice against an engine's own shuffle. */
final class SluiceSideOptions {
  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of shuffle servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--buffer-capacity",
      paramLabel = "SIZE",
      defaultValue = "256MiB",
      description =
          "Memory of each server for shuffle data (rss.server.buffer.capacity). Default: ${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--sluice-conf",
      paramLabel = "KEY=VALUE",
      description = "Configuration of the jobs through Sluice, such as its own keys.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--server-java-option",
      paramLabel = "OPTION",
      description = "An option for the JVM of each server of Sluice, for example to profile it.")
  private List<String> serverJavaOptions = List.of();

  SluiceSide side() throws DemoException {
    ComparisonCommand.atLeastOne("--servers", servers);
    return new SluiceSide(
        servers, bufferCapacity, Map.copyOf(conf), List.copyOf(serverJavaOptions));
  }
}
