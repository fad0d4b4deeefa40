package io.sluice.demo.staging;

import io.sluice.demo.driver.DriverSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Common settings of the Spark applications of a run, and start of their drivers. Used by the
 * thread of the run.
 */
public final class SparkStaging {
  /** Heap of a driver: queries of TPC-DS broadcast tables of some million rows. */
  private static final String DRIVER_HEAP = "-Xmx2g";

  private static final String COORDINATORS = "spark.rss.coordinator.quorum";

  private final Staging staging;
  private final SparkHome spark;
  private Map<String, String> environment;

  /**
   * @param staging borrowed
   */
  public SparkStaging(Staging staging, SparkHome spark) {
    this.staging = staging;
    this.spark = spark;
  }

  public Staging staging() {
    return staging;
  }

  /**
   * Creates a Spark home below the directory, see {@link SparkHome#stage}.
   *
   * @return environment variables of the driver
   */
  public Map<String, String> sparkHome(Path below) throws IOException {
    return spark.stage(below.resolve("spark-home"));
  }

  /** Environment variables of drivers that share a Spark home. */
  public Map<String, String> environment() throws IOException {
    if (environment == null) {
      environment = sparkHome(staging.directory());
    }
    return environment;
  }

  public Map<String, String> sparkConf() {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put("spark.driver.bindAddress", "127.0.0.1");
    conf.put("spark.local.dir", staging.directory().resolve("spark-local").toString());
    conf.put("spark.sql.warehouse.dir", staging.directory().resolve("warehouse").toString());
    return conf;
  }

  /** Settings of the Sluice side, in addition to {@link #sparkConf}. */
  public Map<String, String> sluiceConf() throws DemoException {
    return sluiceConf(staging.cluster().quorum());
  }

  /** Settings of the Sluice side for a cluster with these coordinators. */
  public Map<String, String> sluiceConf(String coordinators) throws DemoException {
    Map<String, String> conf = new TreeMap<>(staging.access().spark());
    conf.put("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager");
    conf.put("spark.executor.extraClassPath", staging.installation().clientJar(spark).toString());
    conf.put(COORDINATORS, coordinators);
    conf.put("spark.rss.access.timeout.ms", Staging.ACCESS_TIMEOUT);
    return conf;
  }

  /** Starts the driver that generates data. */
  DriverProcess startGenerator(String heap, DriverSettings settings) throws IOException {
    // The generator may need a newer Guava than the Spark home has.
    String classPath =
        DriverProcess.classPath(
            Installation.all(staging.installation().driverJars()), Installation.all(spark.jars()));
    return start(
        new DriverProcess.Launch(
            "data",
            "io.sluice.demo.spark.DataDriver",
            classPath,
            List.of(heap),
            environment(),
            settings,
            staging.directory()));
  }

  /** Starts the driver of one side, with the plugin if its settings name coordinators. */
  public DriverProcess startDriver(
      Side side,
      String mainClass,
      Map<String, String> sideEnvironment,
      DriverSettings settings,
      Path sideDirectory)
      throws DemoException, IOException {
    return startDriver(
        side.label(),
        plugin(settings.spark()),
        mainClass,
        sideEnvironment,
        settings,
        sideDirectory);
  }

  /** The jar of the plugin if the settings name coordinators, and none otherwise. */
  public List<Path> plugin(Map<String, String> conf) throws DemoException {
    return conf.containsKey(COORDINATORS)
        ? List.of(staging.installation().clientJar(spark))
        : List.of();
  }

  /**
   * Starts the driver of an application with a plugin.
   *
   * @param name name in names of files and in messages
   * @param plugin jars of the plugin
   */
  public DriverProcess startDriver(
      String name,
      List<Path> plugin,
      String mainClass,
      Map<String, String> variables,
      DriverSettings settings,
      Path directory)
      throws IOException {
    List<String> classPath = new ArrayList<>();
    classPath.add(Installation.all(spark.jars()));
    classPath.add(Installation.all(staging.installation().driverJars()));
    plugin.forEach(jar -> classPath.add(jar.toString()));
    return start(
        new DriverProcess.Launch(
            name,
            mainClass,
            DriverProcess.classPath(classPath.toArray(String[]::new)),
            List.of(DRIVER_HEAP),
            variables,
            settings,
            Files.createDirectories(directory)));
  }

  private DriverProcess start(DriverProcess.Launch launch) throws IOException {
    DriverProcess driver = DriverProcess.start(launch);
    staging.addKillAction(driver::kill);
    return driver;
  }
}
