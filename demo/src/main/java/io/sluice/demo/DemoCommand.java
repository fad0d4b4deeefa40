package io.sluice.demo;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.demo.staging.ClusterSize;
import io.sluice.demo.staging.CometJarOption;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.HadoopParts;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import io.sluice.demo.staging.SparkStaging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
      "Run the 22 queries of TPC-H on Spark, each with Spark's built-in shuffle and "
          + "through Sluice, and compare every row.",
      "With --workload tpcds: the 103 queries of TPC-DS from Spark's published tests.",
      "With --engine comet: both sides use Comet, with its built-in shuffle and through Sluice.",
      "With --engine mapreduce: run terasort, teravalidate and wordcount on a YARN mini "
          + "cluster, each with Hadoop's built-in"
          + " shuffle and through Sluice, and compare output files and counters.",
      "Coordinators, shuffle servers and the engine are started on loopback as separate "
          + "processes and stopped at the end."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:both sides returned the same results, and all shuffle data went through the servers",
      "1:results differ, data did not go through the servers, or a run failed",
      "2:wrong usage"
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class DemoCommand extends ComparisonCommand {
  enum Transport {
    GRPC,
    GRPC_NETTY
  }

  /**
   * Engines with their default scale factor. MapReduce starts a process for each task, so its data
   * is smaller.
   */
  enum Engine {
    SPARK("spark", 1),
    COMET("comet", 1),
    MAPREDUCE("mapreduce", 0.1);

    private final String label;
    private final double scale;

    Engine(String label, double scale) {
      this.label = label;
      this.scale = scale;
    }

    /** Value of the option. */
    @Override
    public String toString() {
      return label;
    }
  }

  private static final String QUORUM = "spark.rss.coordinator.quorum";

  /** Value of --secure without a directory. */
  private static final String TEMPORARY = "";

  private final ClusterSecrets secrets;

  /** Default number of reduce tasks: two for each of two servers. */
  private static final int REDUCES = 4;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = "spark",
      description = "Engine to run: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Engine engine;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description =
          "Data and queries: ${COMPLETION-CANDIDATES}. Not with --engine mapreduce. Default:"
              + " tpch.")
  private Workload workload;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      description =
          "Scale factor of the data; 1 is about 1 GB before compression. Default: 1, or "
              + "0.1 with --engine mapreduce.")
  private Double scale;

  @Option(
      names = "--queries",
      paramLabel = "LIST",
      description = "Queries to run, such as 1,3,5-7. Not with --engine mapreduce. Default: all.")
  private String queries;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of shuffle servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--coordinators",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of coordinators; several share their state. Default: ${DEFAULT-VALUE}.")
  private int coordinatorCount;

  @Option(
      names = "--buffer-capacity",
      paramLabel = "SIZE",
      defaultValue = "64MiB",
      description =
          "Memory of each server for shuffle data (rss.server.buffer.capacity). The "
              + "default is small, so that servers spill."
              + " Default: ${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--transport",
      paramLabel = "TYPE",
      defaultValue = "GRPC_NETTY",
      description = "Data transport: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Transport transport;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Number of partitions of a shuffle (spark.sql.shuffle.partitions, "
              + "mapreduce.job.reduces). Default: Spark's default, or "
              + REDUCES
              + " with --engine mapreduce.")
  private int partitions;

  @Option(
      names = "--coordinator",
      paramLabel = "HOST:PORT",
      split = ",",
      description =
          "Coordinators of an existing cluster, whose server counters are not read. Not "
              + "with --engine mapreduce. Default: start a cluster.")
  private List<String> coordinators;

  @Option(
      names = "--sluice-conf",
      paramLabel = "KEY=VALUE",
      description =
          "Configuration key of the Spark application that uses Sluice. Repeatable. Pass "
              + "file names of secrets, not secrets.")
  private Map<String, String> sparkConf = new TreeMap<>();

  @Option(
      names = "--secure",
      paramLabel = "DIRECTORY",
      arity = "0..1",
      fallbackValue = TEMPORARY,
      description =
          "Run a cluster with authentication and TLS, from a temporary `sluice secure init`. With a"
              + " directory that `sluice secure init` created: use its cluster, which runs already,"
              + " and whose server counters are not read.")
  private String secure;

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Mixin private CometJarOption cometJar = new CometJarOption();

  @Option(
      names = "--query-timeout",
      paramLabel = "MINUTES",
      defaultValue = "10",
      description = "Timeout of one query or program. Default: ${DEFAULT-VALUE}.")
  private int queryTimeoutMinutes;

  /**
   * @param secrets creates the secrets of a secured cluster
   */
  public DemoCommand(ClusterSecrets secrets) {
    this.secrets = secrets;
  }

  @Override
  protected String prefix() {
    return "run-";
  }

  @Override
  protected Opening opening() throws DemoException {
    atLeastOne("--coordinators", coordinatorCount);
    atLeastOne("--servers", servers);
    atLeastOne("--query-timeout", queryTimeoutMinutes);
    double factor = scale == null ? engine.scale : scale;
    scale(factor);
    if (partitions < 0) {
      throw DemoException.usage(
          "--partitions " + partitions + ": expected a positive number, or 0 for the default");
    }
    return switch (engine) {
      case SPARK -> {
        refuse("--comet-jar", cometJar.isGiven(), "comet", "Comet does not run");
        yield onSpark(factor, false);
      }
      case COMET -> onSpark(factor, true);
      case MAPREDUCE -> onMapReduce(factor);
    };
  }

  /**
   * @param withComet whether both sides use Comet
   */
  private Opening onSpark(double factor, boolean withComet) throws DemoException {
    Workload chosen = workload == null ? Workload.TPCH : workload;
    Map<String, String> conf = secureConf();
    Optional<String> quorum = quorum(conf.remove(QUORUM));
    conf.putAll(sparkConf);
    List<String> chosenQueries = queries(chosen, queries);
    Optional<Path> texts = Installation.queryTexts(chosen, System.getProperties());
    SparkHome spark = sparkHome.find(System.getenv());
    Optional<Path> comet =
        withComet ? Optional.of(cometJar.find(spark, System.getProperties())) : Optional.empty();
    DemoRun.Plan plan =
        new DemoRun.Plan(
            chosen,
            factor,
            chosenQueries,
            texts,
            new ClusterSize(coordinatorCount, servers),
            bufferCapacity,
            transport.name(),
            partitions,
            quorum,
            conf,
            Duration.ofMinutes(queryTimeoutMinutes),
            comet,
            newSecrets(),
            keep());
    return (staging, progress) -> new DemoRun(plan, new SparkStaging(staging, spark), progress);
  }

  private Opening onMapReduce(double factor) throws DemoException {
    refuse("--workload", workload != null, "all of terasort, teravalidate and wordcount run");
    refuse("--queries", queries != null, "all of terasort, teravalidate and wordcount run");
    refuse("--coordinator", coordinators != null, "a cluster is always started");
    refuse("--sluice-conf", !sparkConf.isEmpty(), "no Spark runs");
    refuse("--secure=DIRECTORY", namesCluster(), "a cluster is always started");
    refuse("--spark-home", sparkHome.isGiven(), "no Spark runs");
    refuse("--comet-jar", cometJar.isGiven(), "comet", "no Spark runs");
    MapReduceRun.Plan plan =
        new MapReduceRun.Plan(
            factor,
            new ClusterSize(coordinatorCount, servers),
            bufferCapacity,
            transport.name(),
            partitions == 0 ? REDUCES : partitions,
            Duration.ofMinutes(queryTimeoutMinutes),
            newSecrets(),
            keep());
    HadoopParts parts = HadoopParts.of(System.getProperties());
    return (staging, progress) -> new MapReduceRun(plan, staging, parts, progress);
  }

  /** Whether --secure names the directory of an existing cluster. */
  private boolean namesCluster() {
    return secure != null && !secure.equals(TEMPORARY);
  }

  private Optional<ClusterSecrets> newSecrets() {
    return secure == null || namesCluster() ? Optional.empty() : Optional.of(secrets);
  }

  /**
   * Coordinators of an existing cluster.
   *
   * @param ofDirectory those of the directory of --secure; null: none
   */
  private Optional<String> quorum(String ofDirectory) throws DemoException {
    if (coordinators == null) {
      return Optional.ofNullable(ofDirectory);
    }
    if (TEMPORARY.equals(secure)) {
      throw DemoException.usage(
          "--secure without a directory starts a cluster, so --coordinator is not possible; name"
              + " the directory of the cluster");
    }
    return Optional.of(String.join(",", coordinators));
  }

  /** Settings of jobs in the directory of an existing cluster. */
  private Map<String, String> secureConf() throws DemoException {
    Map<String, String> conf = new TreeMap<>();
    if (!namesCluster()) {
      return conf;
    }
    Path file = Path.of(secure, "spark-defaults.conf");
    try {
      for (String line : Files.readAllLines(file)) {
        String[] pair = line.strip().split("\\s+", 2);
        if (pair.length == 2 && pair[0].startsWith("spark.")) {
          conf.put(pair[0], pair[1]);
        }
      }
    } catch (IOException e) {
      throw DemoException.usage(
          "--secure: "
              + file
              + " cannot be read; create the directory with `sluice secure init "
              + secure
              + "`");
    }
    return conf;
  }

  private void refuse(String option, boolean given, String reason) throws DemoException {
    refuse(option, given, "spark", reason);
  }

  private void refuse(String option, boolean given, String only, String reason)
      throws DemoException {
    if (given) {
      throw DemoException.usage(
          option + ": only with --engine " + only + "; with " + engine + " " + reason);
    }
  }
}
