package io.sluice.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Where the parts that the demo starts are.
 *
 * @param jars directory with the jars of coordinator, server and command line
 * @param clients directory with the Spark plugin, one jar per Spark line and Scala version
 * @param driverJars directory with the program for Spark's driver
 */
record Installation(Path jars, Path clients, Path driverJars) {
  private static final String JARS = "sluice.jars";
  private static final String CLIENTS = "sluice.clients";
  private static final String DRIVER_JARS = "sluice.demo.jars";

  /** System property with the Spark home that the build made; absent in a distribution. */
  static final String SPARK_HOME = "sluice.spark.home";

  static Installation of(Properties system) throws DemoException {
    return new Installation(
        directory(system, JARS), directory(system, CLIENTS), directory(system, DRIVER_JARS));
  }

  private static Path directory(Properties system, String key) throws DemoException {
    String value = system.getProperty(key);
    if (value == null) {
      throw DemoException.usage(
          "the system property "
              + key
              + " is not set: start the demo with the sluice launcher, or set it to a directory");
    }
    Path directory = Path.of(value);
    if (!Files.isDirectory(directory)) {
      throw DemoException.usage(key + " names " + value + ", which is not a directory");
    }
    return directory.toAbsolutePath();
  }

  /** The plugin's jar for a Spark. */
  Path clientJar(SparkHome spark) throws DemoException {
    String prefix = "sluice-client-spark-" + spark.client() + "-";
    try (Stream<Path> files = Files.list(clients)) {
      List<Path> found =
          files
              .filter(
                  file -> {
                    String name = file.getFileName().toString();
                    return name.startsWith(prefix)
                        && name.endsWith(".jar")
                        && !name.endsWith("-sources.jar")
                        && !name.endsWith("-tests.jar");
                  })
              .toList();
      if (found.size() != 1) {
        throw DemoException.usage(
            clients + " holds " + found.size() + " jars " + prefix + "*.jar, expected one");
      }
      return found.get(0);
    } catch (IOException e) {
      throw DemoException.failed("cannot list " + clients + ": " + e.getMessage(), e);
    }
  }

  /** Class path entry with every jar of a directory. */
  static String all(Path directory) {
    return directory + "/*";
  }
}
