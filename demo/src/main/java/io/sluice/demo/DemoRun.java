package io.sluice.demo;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.AmountText;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.demo.staging.ClusterSize;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One run of the demo with Spark: data, processes, queries, comparison.
 *
 * <p>The two sides are two Spark applications that run at the same time. Each query runs on one,
 * then on the other, while the first is idle. So both sides are equally warm, and other load of the
 * machine affects both.
 */
final class DemoRun implements Comparison {
  /** Two executors with one core and 1 GiB each, for a machine with two cores. */
  private static final String MASTER = "local-cluster[2,1,1024]";

  /** Heap of a server; small, because shuffle data is off-heap. */
  private static final String SERVER_HEAP = "-Xmx256m";

  /**
   * Parameters of a run.
   *
   * @param scale scale factor of the data
   * @param queries names of the queries, in the order to run them
   * @param queryTexts see {@link DriverSettings}
   * @param size number of coordinators and shuffle servers
   * @param bufferCapacity memory for shuffle data in each server, small enough that larger shuffles
   *     spill
   * @param transport GRPC or GRPC_NETTY
   * @param partitions number of partitions of a shuffle before Spark coalesces them; 0: Spark's
   *     default
   * @param coordinators coordinators of an existing cluster, {@code host:port,host:port}; empty:
   *     start a cluster
   * @param sparkConf additional settings of the Spark application that uses Sluice
   * @param queryTimeout timeout of one query
   * @param comet jar of Comet, if both applications use it; empty: Spark alone
   * @param secrets creates the secrets of a started cluster; empty: no authentication and TLS
   * @param keep whether to keep logs, settings and rows of a successful run
   */
  record Plan(
      Workload workload,
      double scale,
      List<String> queries,
      Optional<Path> queryTexts,
      ClusterSize size,
      String bufferCapacity,
      String transport,
      int partitions,
      Optional<String> coordinators,
      Map<String, String> sparkConf,
      Duration queryTimeout,
      Optional<Path> comet,
      Optional<ClusterSecrets> secrets,
      boolean keep) {
    /** The shuffle that Sluice is compared with. */
    private String builtIn() {
      return comet.isPresent() ? "Comet's built-in shuffle" : "Spark's built-in shuffle";
    }
  }

  private final Plan plan;
  private final SparkStaging spark;
  private final Staging staging;
  private final DemoProgress progress;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  DemoRun(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.spark = spark;
    this.staging = spark.staging();
    this.progress = progress;
  }

  @Override
  public DemoTable run() throws DemoException, IOException, InterruptedException {
    Path data = WorkloadData.ensure(plan.workload(), plan.scale(), spark, progress);
    if (plan.coordinators().isPresent()) {
      progress.step("Sluice: using the cluster of coordinator " + plan.coordinators().get());
    } else {
      if (plan.secrets().isPresent()) {
        progress.step("Sluice: creating keys, certificates and users");
        staging.secure(plan.secrets().get());
      }
      progress.step("Sluice: starting " + plan.size());
      staging.startCluster(
          plan.size(),
          plan.transport(),
          plan.bufferCapacity(),
          List.of(SERVER_HEAP, "-XX:+UseSerialGC"));
    }
    progress.step("Spark: starting two applications, with " + plan.builtIn() + " and with Sluice");
    try (ClusterProbe probe = plan.coordinators().isPresent() ? null : staging.probe();
        DriverPair drivers = DriverPair.start(side -> startDriver(side, data))) {
      WorkloadData.readAhead(data);
      progress.step("Queries: each with " + plan.builtIn() + ", then through Sluice");
      return new DemoTable(plan.builtIn(), compare(drivers, probe));
    }
  }

  /**
   * @param probe null: the cluster existed before, and its servers may change
   */
  private List<QueryComparison> compare(DriverPair drivers, ClusterProbe probe)
      throws DemoException, IOException, InterruptedException {
    List<QueryComparison> comparisons = new ArrayList<>();
    int total = plan.queries().size();
    for (String query : plan.queries()) {
      progress.advance(comparisons.size(), total, "query " + query + ", " + plan.builtIn());
      DriverMessage.Result builtInResult = runQuery(drivers.of(Side.BUILT_IN), query);

      progress.advance(comparisons.size(), total, "query " + query + ", through Sluice");
      ClusterCounters before = probe == null ? ClusterCounters.ZERO : probe.counters();
      DriverMessage.Result sluiceResult = runQuery(drivers.of(Side.SLUICE), query);
      Optional<ClusterCounters> servers =
          probe == null ? Optional.empty() : Optional.of(probe.counters().since(before));

      RowDifference difference =
          RowDifference.between(rows(Side.BUILT_IN, query), rows(Side.SLUICE, query));
      QueryComparison comparison =
          new QueryComparison(builtInResult, sluiceResult, difference, servers);
      comparisons.add(comparison);
      progress.result(
          comparisons.size(),
          total,
          "query %s, built-in %s s, Sluice %s s, same: %s"
              .formatted(
                  query,
                  AmountText.seconds(builtInResult.elapsedMs()),
                  AmountText.seconds(sluiceResult.elapsedMs()),
                  comparison.verdict().label()));
    }
    return comparisons;
  }

  private DriverMessage.Result runQuery(DriverProcess driver, String query)
      throws DemoException, InterruptedException {
    driver.run(query);
    return driver.await(DriverMessage.Result.class, plan.queryTimeout());
  }

  private ResultRows rows(Side side, String query) throws IOException {
    return ResultRows.read(ResultRows.file(rowsDirectory(side), query));
  }

  private DriverProcess startDriver(Side side, Path data) throws DemoException, IOException {
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", MASTER);
    conf.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    if (plan.partitions() > 0) {
      conf.put("spark.sql.shuffle.partitions", Integer.toString(plan.partitions()));
    }
    if (side == Side.SLUICE) {
      conf.putAll(
          spark.sluiceConf(plan.coordinators().orElseGet(() -> staging.cluster().quorum())));
      conf.put("spark.rss.client.type", plan.transport());
      conf.putAll(plan.sparkConf());
    }
    List<Path> jars = new ArrayList<>(spark.plugin(conf));
    plan.comet().ifPresent(jars::add);
    plan.comet().ifPresent(comet -> CometConf.addTo(conf, jars));
    Path rows = Files.createDirectories(rowsDirectory(side));
    return spark.startDriver(
        side.label(),
        jars,
        "io.sluice.demo.spark.QueryDriver",
        spark.environment(),
        new DriverSettings(plan.workload(), plan.queryTexts(), plan.scale(), data, rows, conf),
        staging.directory().resolve(side.label()));
  }

  private Path rowsDirectory(Side side) {
    return staging.directory().resolve("rows-" + side.label());
  }

  /** Keeps logs, settings and rows after a failure; they are small. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    return staging.removeFiles(
        good && !plan.keep(),
        List.of("spark-local", "spark-home", WorkloadData.UNFINISHED, "warehouse"));
  }
}
