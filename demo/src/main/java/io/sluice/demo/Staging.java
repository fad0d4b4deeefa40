package io.sluice.demo;

import io.sluice.demo.cluster.ClusterProbe;
import io.sluice.demo.cluster.LocalCluster;
import io.sluice.demo.driver.DriverSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The directory of a run, what it starts there, and what every Spark of it has in common. Owned by
 * the thread that runs it; the shutdown hook may end the processes at any time.
 */
final class Staging implements AutoCloseable {
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(30);
  private static final String DRIVER_HEAP = "-Xmx1g";

  private final Installation installation;
  private final SparkHome spark;
  private final Path workDirectory;
  private final Path directory;
  private final List<DriverProcess> drivers = new ArrayList<>();
  private volatile LocalCluster cluster;
  private Thread shutdownHook;
  private Map<String, String> environment;

  private Staging(Installation installation, SparkHome spark, Path workDirectory, Path directory) {
    this.installation = installation;
    this.spark = spark;
    this.workDirectory = workDirectory;
    this.directory = directory;
  }

  /**
   * Makes a directory for a run.
   *
   * @param workDirectory where data is kept and where the run gets a directory of its own
   * @param prefix of its name
   */
  static Staging in(Path workDirectory, String prefix, Installation installation, SparkHome spark)
      throws IOException {
    Files.createDirectories(workDirectory);
    return new Staging(
        installation, spark, workDirectory, Files.createTempDirectory(workDirectory, prefix));
  }

  Path workDirectory() {
    return workDirectory;
  }

  Path directory() {
    return directory;
  }

  /** Null before it is started. */
  LocalCluster cluster() {
    return cluster;
  }

  /**
   * Prepares the directory. From now on the end of this process ends all others, too.
   *
   * @param whenInterrupted what to do then
   */
  void start(Runnable whenInterrupted) throws IOException {
    shutdownHook =
        new Thread(
            () -> {
              endAll();
              whenInterrupted.run();
            },
            "demo-stop");
    Runtime.getRuntime().addShutdownHook(shutdownHook);
    environment = sparkHome(directory);
  }

  /** Starts a coordinator and servers; returns when it knows all of them. */
  void startCluster(
      int servers, String transport, String bufferCapacity, List<String> serverOptions)
      throws IOException, InterruptedException {
    cluster =
        LocalCluster.builder()
            .directory(directory.resolve("cluster"))
            .classPath(Installation.all(installation.jars()))
            .servers(servers)
            .configureServers("rss.rpc.server.type", transport)
            .configureServers("rss.server.buffer.capacity", bufferCapacity)
            .serverJvmOptions(serverOptions.toArray(String[]::new))
            .build();
    cluster.start();
    try (ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(servers, REGISTER_TIMEOUT);
    }
  }

  /**
   * Makes a Spark home below the directory, see {@link SparkHome#stage}.
   *
   * @return the environment to start a driver with
   */
  Map<String, String> sparkHome(Path below) throws IOException {
    return spark.stage(below.resolve("spark-home"));
  }

  /** What a driver is started with that shares its Spark home with others. */
  Map<String, String> environment() {
    return environment;
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

  /** What the side of Sluice needs beyond {@link #sparkConf}. */
  Map<String, String> sluiceConf() throws DemoException {
    return Map.of(
        "spark.shuffle.manager",
        "org.apache.spark.shuffle.RssShuffleManager",
        "spark.executor.extraClassPath",
        installation.clientJar(spark).toString(),
        "spark.rss.coordinator.quorum",
        cluster.quorum());
  }

  /** Starts the driver that makes data. */
  DriverProcess startGenerator(String heap, DriverSettings settings) throws IOException {
    // The generator needs a newer Guava than a Spark home may hold.
    String classPath =
        DriverProcess.classPath(
            Installation.all(installation.driverJars()), Installation.all(spark.jars()));
    return start(
        new DriverProcess.Launch(
            "data",
            "io.sluice.demo.spark.DataDriver",
            classPath,
            List.of(heap),
            environment,
            settings,
            directory));
  }

  /** Starts the application of one side. */
  DriverProcess startDriver(
      Side side,
      String mainClass,
      Map<String, String> sideEnvironment,
      DriverSettings settings,
      Path sideDirectory)
      throws DemoException, IOException {
    List<String> classPath = new ArrayList<>();
    classPath.add(Installation.all(spark.jars()));
    classPath.add(Installation.all(installation.driverJars()));
    if (side == Side.SLUICE) {
      classPath.add(installation.clientJar(spark).toString());
    }
    return start(
        new DriverProcess.Launch(
            side.word(),
            mainClass,
            DriverProcess.classPath(classPath.toArray(String[]::new)),
            List.of(DRIVER_HEAP),
            sideEnvironment,
            settings,
            Files.createDirectories(sideDirectory)));
  }

  private synchronized DriverProcess start(DriverProcess.Launch launch) throws IOException {
    DriverProcess driver = DriverProcess.start(launch);
    drivers.add(driver);
    return driver;
  }

  /** Ends what still runs; the files stay. Idempotent. */
  @Override
  public void close() {
    endAll();
    try {
      if (shutdownHook != null) {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      }
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook does the same.
    }
  }

  private void endAll() {
    synchronized (this) {
      drivers.forEach(DriverProcess::kill);
    }
    if (cluster != null) {
      cluster.close();
    }
  }
}
