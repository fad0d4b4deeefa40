package io.sluice.demo;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice demo}. */
@Command(
    name = "demo",
    description = {
      "Runs the 22 queries of TPC-H on Spark, each with Spark's own shuffle and then through Sluice, and compares every row.",
      "Starts a coordinator, shuffle servers and Spark (executors in processes of their own) on loopback, and ends them all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every query gave the same rows on both sides and went through the servers",
      "1:not so, or something failed",
      "2:wrong usage"
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class DemoCommand extends ComparisonCommand {
  enum Transport {
    GRPC,
    GRPC_NETTY
  }

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "Scale factor of the data; 1 is about 1 GB before compression. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--queries",
      paramLabel = "LIST",
      description = "Only these queries, such as 1,3,5-7. Default: all 22.")
  private String queries;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of shuffle servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--buffer-capacity",
      paramLabel = "SIZE",
      defaultValue = "64MiB",
      description =
          "Memory of each server for shuffle data (rss.server.buffer.capacity); small, so that servers have to spill."
              + " Default: ${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--transport",
      paramLabel = "TYPE",
      defaultValue = "GRPC_NETTY",
      description = "How data travels: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Transport transport;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Partitions of a shuffle (spark.sql.shuffle.partitions). Default: what Spark does.")
  private int partitions;

  @Mixin private PlaceOptions places = new PlaceOptions();

  @Option(
      names = "--query-timeout",
      paramLabel = "MINUTES",
      defaultValue = "10",
      description = "Longest that one query may take. Default: ${DEFAULT-VALUE}.")
  private int queryTimeoutMinutes;

  @Option(names = "--keep", description = "Keep the logs, settings and rows of the run.")
  private boolean keep;

  @Override
  PlaceOptions places() {
    return places;
  }

  @Override
  String prefix() {
    return "run-";
  }

  @Override
  Opening opening() throws DemoException {
    DemoRun.Plan plan = plan();
    return (staging, progress) -> new DemoRun(plan, staging, progress);
  }

  private DemoRun.Plan plan() throws DemoException {
    atLeastOne("--servers", servers);
    atLeastOne("--query-timeout", queryTimeoutMinutes);
    scale(scale);
    if (partitions < 0) {
      throw DemoException.usage(
          "--partitions " + partitions + ": expected a positive number, or 0 for Spark's default");
    }
    List<Integer> numbers = queries == null ? QueryList.all() : QueryList.parse(queries);
    return new DemoRun.Plan(
        scale,
        numbers,
        servers,
        bufferCapacity,
        transport.name(),
        partitions,
        Duration.ofMinutes(queryTimeoutMinutes),
        keep);
  }
}
