package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Option for the Spark installation. */
public final class SparkHomeOption {
  @Option(
      names = "--spark-home",
      paramLabel = "DIR",
      description =
          "Directory of a "
              + SparkHome.SUPPORTED
              + " installation. Default: the Spark that the build downloaded, else "
              + "SPARK_HOME of the environment.")
  private Path sparkHome;

  public boolean isGiven() {
    return sparkHome != null;
  }

  /**
   * Finds the Spark installation, and checks that there is a plugin for it.
   *
   * @param environment of this process
   */
  public SparkHome find(Map<String, String> environment) throws DemoException {
    SparkHome spark = SparkHome.of(directory(environment));
    Installation.of(System.getProperties()).clientJar(spark);
    return spark;
  }

  private Path directory(Map<String, String> environment) throws DemoException {
    if (sparkHome != null) {
      return sparkHome;
    }
    String built = System.getProperty(Installation.SPARK_HOME);
    if (built != null) {
      return Path.of(built);
    }
    String home = environment.get("SPARK_HOME");
    if (home != null) {
      return Path.of(home);
    }
    throw DemoException.usage(
        "no Spark: set --spark-home or SPARK_HOME to a "
            + SparkHome.SUPPORTED
            + " installation (not needed in a checkout of Sluice)");
  }
}
