package io.sluice.demo;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.HadoopParts;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import io.sluice.demo.staging.SparkStaging;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice demo}. */
@Command(
    name = "demo",
    description = {
      "Runs the 22 queries of TPC-H on Spark, each with Spark's own shuffle and then through Sluice, and compares every row.",
      "With --workload tpcds: the 103 queries of TPC-DS, from the tests that Spark publishes.",
      "With --engine mapreduce: runs terasort, teravalidate and wordcount on Hadoop's mini cluster of YARN, each with Hadoop's own"
          + " shuffle and then through Sluice, and compares output files and counters.",
      "Starts a coordinator, shuffle servers and the engine (executors and containers in processes of their own) on loopback,"
          + " and ends them all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything came to the same on both sides and went through the servers",
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

  /** Each has its own idea of a short demo: a task of MapReduce is a process that has to start. */
  enum Engine {
    SPARK("spark", 1),
    MAPREDUCE("mapreduce", 0.1);

    private final String word;
    private final double scale;

    Engine(String word, double scale) {
      this.word = word;
      this.scale = scale;
    }

    /** As on the command line. */
    @Override
    public String toString() {
      return word;
    }
  }

  /** Enough for more than one reduce task at each server. */
  private static final int REDUCES = 4;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = "spark",
      description = "What shuffles: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Engine engine;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description = "Data and queries: ${COMPLETION-CANDIDATES}; only with spark. Default: tpch.")
  private Workload workload;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      description =
          "Scale factor of the data; 1 is about 1 GB before compression. Default: 1 with spark, 0.1 with mapreduce.")
  private Double scale;

  @Option(
      names = "--queries",
      paramLabel = "LIST",
      description =
          "Only these queries, such as 1,3,5-7; only with spark, mapreduce has none. Default: all.")
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
          "Partitions of a shuffle (spark.sql.shuffle.partitions, mapreduce.job.reduces). Default: what Spark does, "
              + REDUCES
              + " with mapreduce.")
  private int partitions;

  @Option(
      names = "--coordinator",
      paramLabel = "HOST:PORT",
      split = ",",
      description =
          "Coordinators of a cluster that runs already; only with spark. Default: a cluster is started. What went through"
              + " its servers is then not counted.")
  private List<String> coordinators;

  @Option(
      names = "--sluice-conf",
      paramLabel = "KEY=VALUE",
      description =
          "Configuration of the Spark that shuffles through Sluice, such as its own keys; names of files with secrets, never secrets.")
  private Map<String, String> sparkConf = new TreeMap<>();

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Option(
      names = "--query-timeout",
      paramLabel = "MINUTES",
      defaultValue = "10",
      description = "Longest that one query or program may take. Default: ${DEFAULT-VALUE}.")
  private int queryTimeoutMinutes;

  @Override
  protected String prefix() {
    return "run-";
  }

  @Override
  protected Opening opening() throws DemoException {
    atLeastOne("--servers", servers);
    atLeastOne("--query-timeout", queryTimeoutMinutes);
    double factor = scale == null ? engine.scale : scale;
    scale(factor);
    if (partitions < 0) {
      throw DemoException.usage(
          "--partitions " + partitions + ": expected a positive number, or 0 for the default");
    }
    return switch (engine) {
      case SPARK -> onSpark(factor);
      case MAPREDUCE -> onMapReduce(factor);
    };
  }

  private Opening onSpark(double factor) throws DemoException {
    Workload chosen = workload == null ? Workload.TPCH : workload;
    DemoRun.Plan plan =
        new DemoRun.Plan(
            chosen,
            factor,
            selected(chosen),
            chosen == Workload.TPCDS
                ? Optional.of(Installation.tpcdsQueries(System.getProperties()))
                : Optional.empty(),
            servers,
            bufferCapacity,
            transport.name(),
            partitions,
            Optional.ofNullable(coordinators).map(names -> String.join(",", names)),
            Map.copyOf(sparkConf),
            Duration.ofMinutes(queryTimeoutMinutes),
            keep());
    SparkHome spark = sparkHome.find(System.getenv());
    return (staging, progress) -> new DemoRun(plan, new SparkStaging(staging, spark), progress);
  }

  private List<String> selected(Workload chosen) throws DemoException {
    if (queries == null) {
      return chosen.queries();
    }
    try {
      return chosen.select(queries);
    } catch (IllegalArgumentException e) {
      throw DemoException.usage("--queries " + e.getMessage());
    }
  }

  private Opening onMapReduce(double factor) throws DemoException {
    refuse("--workload", workload != null, "terasort, teravalidate and wordcount always run");
    refuse("--queries", queries != null, "terasort, teravalidate and wordcount always run");
    refuse("--coordinator", coordinators != null, "a cluster is always started");
    refuse("--sluice-conf", !sparkConf.isEmpty(), "no Spark runs");
    refuse("--spark-home", sparkHome.isGiven(), "no Spark runs");
    MapReduceRun.Plan plan =
        new MapReduceRun.Plan(
            factor,
            servers,
            bufferCapacity,
            transport.name(),
            partitions == 0 ? REDUCES : partitions,
            Duration.ofMinutes(queryTimeoutMinutes),
            keep());
    HadoopParts parts = HadoopParts.of(System.getProperties());
    return (staging, progress) -> new MapReduceRun(plan, staging, parts, progress);
  }

  private void refuse(String option, boolean given, String reason) throws DemoException {
    if (given) {
      throw DemoException.usage(
          option + ": only with --engine spark; with " + engine + " " + reason);
    }
  }
}
