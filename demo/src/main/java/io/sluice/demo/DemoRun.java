package io.sluice.demo;

import io.sluice.demo.cluster.ClusterNode;
import io.sluice.demo.cluster.ClusterProbe;
import io.sluice.demo.cluster.LocalCluster;
import io.sluice.demo.cluster.ServerCounters;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One run of the demo: data, processes, queries, comparison.
 *
 * <p>The two sides are two Spark applications that live side by side, and each query runs on one
 * and then on the other while the first one idles. So both meet a query equally warm and at the
 * same time of day: whatever else the machine does, and whatever compiled code and cached files do
 * to the later queries, they do to both.
 */
final class DemoRun implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(30);

  /** Two executors of one core and 1 GiB each: what a machine with two cores can do. */
  private static final String MASTER = "local-cluster[2,1,1024]";

  private static final String DRIVER_HEAP = "-Xmx1g";

  /** A server's heap stays small because shuffle data is never on it. */
  private static final String SERVER_HEAP = "-Xmx256m";

  /**
   * What a run does.
   *
   * @param scale scale factor of TPC-H
   * @param queries numbers of the queries, in the order to run them
   * @param servers how many shuffle servers
   * @param bufferCapacity memory for shuffle data in each server, small enough that larger shuffles
   *     spill
   * @param transport GRPC or GRPC_NETTY
   * @param partitions partitions of a shuffle before Spark coalesces them; 0 leaves Spark's default
   * @param queryTimeout how long one query may take
   * @param keep whether logs, settings and rows stay after a good run, too
   */
  record Plan(
      double scale,
      List<Integer> queries,
      int servers,
      String bufferCapacity,
      String transport,
      int partitions,
      Duration queryTimeout,
      boolean keep) {}

  /** The directory of a run, what it starts there, and what every Spark of it has in common. */
  static final class Staging {
    private final Path directory;
    private final Path driverJars;
    private final Map<String, String> environment;
    private final List<DriverProcess> drivers = new ArrayList<>();

    Staging(Path directory, Path driverJars, Map<String, String> environment) {
      this.directory = directory;
      this.driverJars = driverJars;
      this.environment = Map.copyOf(environment);
    }

    Path directory() {
      return directory;
    }

    Path driverJars() {
      return driverJars;
    }

    Map<String, String> environment() {
      return environment;
    }

    /** Remembers a process, so that {@link #killAll} ends it. */
    synchronized DriverProcess own(DriverProcess driver) {
      drivers.add(driver);
      return driver;
    }

    synchronized void killAll() {
      drivers.forEach(DriverProcess::kill);
    }

    Map<String, String> sparkConf() {
      Map<String, String> conf = new TreeMap<>();
      conf.put("spark.ui.enabled", "false");
      conf.put("spark.driver.host", "127.0.0.1");
      conf.put("spark.driver.bindAddress", "127.0.0.1");
      conf.put("spark.local.dir", directory.resolve("spark-local").toString());
      conf.put("spark.sql.warehouse.dir", directory.resolve("warehouse").toString());
      return conf;
    }
  }

  private final Plan plan;
  private final Installation installation;
  private final SparkHome spark;
  private final Path workDirectory;
  private final DemoProgress progress;
  private final Path directory;
  private final Thread shutdownHook = new Thread(this::interrupted, "demo-stop");
  private Staging staging;
  private LocalCluster cluster;

  /**
   * Makes the directory of the run.
   *
   * @param workDirectory where data is kept and where the run gets a directory of its own
   */
  DemoRun(
      Plan plan,
      Installation installation,
      SparkHome spark,
      Path workDirectory,
      DemoProgress progress)
      throws IOException {
    this.plan = plan;
    this.installation = installation;
    this.spark = spark;
    this.workDirectory = workDirectory;
    this.progress = progress;
    Files.createDirectories(workDirectory);
    this.directory = Files.createTempDirectory(workDirectory, "run-");
  }

  Path directory() {
    return directory;
  }

  /** Runs the plan; {@link #close} ends everything that this has started. */
  List<QueryComparison> run() throws DemoException, IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
    Path clientJar = installation.clientJar(spark);
    staging =
        new Staging(
            directory, installation.driverJars(), spark.stage(directory.resolve("spark-home")));
    Path data = TpchData.ensure(workDirectory, plan.scale(), spark, staging, progress);

    progress.step("Sluice: starting 1 coordinator and " + plan.servers() + " shuffle servers");
    cluster =
        LocalCluster.builder()
            .directory(directory.resolve("cluster"))
            .classPath(Installation.all(installation.jars()))
            .servers(plan.servers())
            .configureServers("rss.rpc.server.type", plan.transport())
            .configureServers("rss.server.buffer.capacity", plan.bufferCapacity())
            .serverJvmOptions(SERVER_HEAP, "-XX:+UseSerialGC")
            .build();
    cluster.start();
    try (ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(plan.servers(), REGISTER_TIMEOUT);
      progress.step("Spark: starting it twice, with its own shuffle and with Sluice");
      try (DriverProcess own = startDriver("own", data, Map.of(), List.of());
          DriverProcess sluice =
              startDriver("sluice", data, sluiceConf(clientJar), List.of(clientJar))) {
        own.await(DriverMessage.Ready.class, READY_TIMEOUT);
        sluice.await(DriverMessage.Ready.class, READY_TIMEOUT);
        TpchData.readAhead(data);
        progress.step("Queries: each with Spark's own shuffle, then through Sluice");
        return compare(own, sluice, probe);
      }
    }
  }

  private List<QueryComparison> compare(DriverProcess own, DriverProcess sluice, ClusterProbe probe)
      throws DemoException, IOException, InterruptedException {
    List<QueryComparison> comparisons = new ArrayList<>();
    int total = plan.queries().size();
    for (int query : plan.queries()) {
      progress.advance(comparisons.size(), total, "query " + query + ", Spark's own shuffle");
      DriverMessage.Result ownResult = runQuery(own, query);

      progress.advance(comparisons.size(), total, "query " + query + ", through Sluice");
      ServerCounters before = probe.counters();
      DriverMessage.Result sluiceResult = runQuery(sluice, query);
      ServerCounters servers = probe.counters().since(before);

      RowDifference difference = RowDifference.between(rows("own", query), rows("sluice", query));
      QueryComparison comparison =
          new QueryComparison(ownResult, sluiceResult, difference, servers);
      comparisons.add(comparison);
      progress.result(
          comparisons.size(),
          total,
          "query %d, own %s s, Sluice %s s, same: %s"
              .formatted(
                  query,
                  DemoTable.seconds(ownResult.elapsedMs()),
                  DemoTable.seconds(sluiceResult.elapsedMs()),
                  comparison.verdict().word()));
    }
    return comparisons;
  }

  private DriverMessage.Result runQuery(DriverProcess driver, int query)
      throws DemoException, InterruptedException {
    driver.run(query);
    return driver.await(DriverMessage.Result.class, plan.queryTimeout());
  }

  private ResultRows rows(String side, int query) throws IOException {
    return ResultRows.read(ResultRows.file(rowsDirectory(side), query));
  }

  private DriverProcess startDriver(
      String side, Path data, Map<String, String> sideConf, List<Path> sideJars)
      throws IOException {
    Map<String, String> conf = new TreeMap<>(staging.sparkConf());
    conf.put("spark.master", MASTER);
    conf.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    if (plan.partitions() > 0) {
      conf.put("spark.sql.shuffle.partitions", Integer.toString(plan.partitions()));
    }
    conf.putAll(sideConf);
    List<String> classPath = new ArrayList<>();
    classPath.add(Installation.all(spark.jars()));
    classPath.add(Installation.all(installation.driverJars()));
    sideJars.forEach(jar -> classPath.add(jar.toString()));
    Path rows = rowsDirectory(side);
    Files.createDirectories(rows);
    Path driverDirectory = Files.createDirectories(directory.resolve(side));
    return staging.own(
        DriverProcess.start(
            new DriverProcess.Launch(
                side,
                "io.sluice.demo.spark.QueryDriver",
                DriverProcess.classPath(classPath.toArray(String[]::new)),
                List.of(DRIVER_HEAP),
                staging.environment(),
                new DriverSettings(plan.scale(), data, rows, conf),
                driverDirectory)));
  }

  private Map<String, String> sluiceConf(Path clientJar) {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager");
    conf.put("spark.executor.extraClassPath", clientJar.toString());
    conf.put("spark.rss.coordinator.quorum", cluster.quorum());
    conf.put("spark.rss.client.type", plan.transport());
    return conf;
  }

  private Path rowsDirectory(String side) {
    return directory.resolve("rows-" + side);
  }

  /** Ends what still runs; the files stay. Idempotent. */
  @Override
  public void close() {
    endAll();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook does the same.
    }
  }

  /** The user has ended the demo: nothing must be left, unless it was to be kept. */
  private void interrupted() {
    endAll();
    try {
      removeFiles(plan.keep());
    } catch (IOException e) {
      progress.step("cannot remove " + directory + ": " + e.getMessage());
    }
  }

  private void endAll() {
    if (staging != null) {
      staging.killAll();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  /**
   * Removes the files of the run, or all but the logs, settings and rows, which are small. Call
   * after {@link #close}.
   */
  void removeFiles(boolean keepLogs) throws IOException {
    if (!keepLogs) {
      Scratch.remove(directory);
      return;
    }
    for (String name : List.of("spark-local", "spark-home", "tpch", "warehouse")) {
      Scratch.remove(directory.resolve(name));
    }
    if (cluster != null) {
      for (ClusterNode server : cluster.servers()) {
        Scratch.remove(server.directory().resolve("data"));
      }
    }
  }
}
