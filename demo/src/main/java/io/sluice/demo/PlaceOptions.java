package io.sluice.demo;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where Spark and the data are: options of every command that runs Spark. */
final class PlaceOptions {
  @Option(
      names = "--spark-home",
      paramLabel = "DIR",
      description =
          "A "
              + SparkHome.WANTED
              + " to use. Default: the one that the build resolved, else the environment's SPARK_HOME.")
  private Path sparkHome;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description =
          "Where data is kept for the next time and where the processes work. Default: sluice-demo in the user's cache.")
  private Path workDirectory;

  Path sparkDirectory(Map<String, String> environment) throws DemoException {
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

  Path workDirectory(Map<String, String> environment) {
    if (workDirectory != null) {
      return workDirectory.toAbsolutePath();
    }
    String cache = environment.get("XDG_CACHE_HOME");
    Path base =
        cache == null || cache.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    return base.resolve("sluice-demo").toAbsolutePath();
  }
}
