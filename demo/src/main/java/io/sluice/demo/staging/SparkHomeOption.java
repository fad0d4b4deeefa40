package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where Spark is: the option of every command that runs Spark. */
public final class SparkHomeOption {
  @Option(
      names = "--spark-home",
      paramLabel = "DIR",
      description =
          "A "
              + SparkHome.WANTED
              + " to use. Default: the one that the build resolved, else the environment's SPARK_HOME.")
  private Path sparkHome;

  public boolean isGiven() {
    return sparkHome != null;
  }

  /**
   * Finds the Spark to use, for which the installation must have a plugin.
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
        "no Spark: name a "
            + SparkHome.WANTED
            + " with --spark-home or SPARK_HOME (a checkout of Sluice brings its own)");
  }
}
