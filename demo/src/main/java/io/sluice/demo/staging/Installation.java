package io.sluice.demo.staging;

import java.io.File;
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
 * @param clients directory with the plugins: for Spark one jar per line and Scala version, and one
 *     for MapReduce
 * @param driverJars directory with the program for Spark's driver; below it, in {@code mapreduce},
 *     the one around Hadoop's mini cluster
 */
public record Installation(Path jars, Path clients, Path driverJars) {
  private static final String JARS = "sluice.jars";
  private static final String CLIENTS = "sluice.clients";
  private static final String DRIVER_JARS = "sluice.demo.jars";

  /** System property with the Spark home that the build made; absent in a distribution. */
  static final String SPARK_HOME = "sluice.spark.home";

  /** System property with the file that names a Hadoop's jars; absent in a distribution. */
  private static final String HADOOP_JARS = "sluice.hadoop.jars";

  /** System property with the jar that has the queries of TPC-DS; absent in a distribution. */
  private static final String TPCDS_QUERIES = "sluice.tpcds.queries";

  public static Installation of(Properties system) throws DemoException {
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
    return onlyJar(clients, "sluice-client-spark-" + spark.client() + "-");
  }

  /** The plugin's jar for MapReduce. */
  Path mapReduceJar() throws DemoException {
    return onlyJar(clients, "sluice-client-mr-");
  }

  /** The jar with the program around Hadoop's mini cluster. */
  Path yarnHostJar() throws DemoException {
    return onlyJar(driverJars.resolve("mapreduce"), "sluice-demo-mapreduce-");
  }

  /**
   * The list of jars that Hadoop runs on, all of which are there.
   *
   * @param system properties of this process
   */
  static Path hadoopJars(Properties system) throws DemoException {
    String value = system.getProperty(HADOOP_JARS);
    if (value == null) {
      throw DemoException.usage(
          "no Hadoop: MapReduce runs from a checkout of Sluice, whose build resolves one");
    }
    Path list = Path.of(value);
    try {
      for (String jar : Files.readString(list).strip().split(File.pathSeparator, -1)) {
        if (!Files.isRegularFile(Path.of(jar))) {
          throw DemoException.usage(
              list + " names " + jar + ", which is gone: remove the list and build again");
        }
      }
    } catch (IOException e) {
      throw DemoException.failed("cannot read the list of Hadoop's jars: " + e, e);
    }
    return list;
  }

  /**
   * The jar with the texts of TPC-DS's queries.
   *
   * @param system properties of this process
   */
  public static Path tpcdsQueries(Properties system) throws DemoException {
    String value = system.getProperty(TPCDS_QUERIES);
    if (value == null) {
      throw DemoException.usage(
          "no queries of TPC-DS: they run from a checkout of Sluice, whose build resolves the jar of"
              + " Spark's tests that has them");
    }
    Path jar = Path.of(value);
    if (!Files.isRegularFile(jar)) {
      throw DemoException.usage(value + ", which has the queries of TPC-DS, is gone: build again");
    }
    return jar;
  }

  private static Path onlyJar(Path directory, String prefix) throws DemoException {
    try (Stream<Path> files = Files.list(directory)) {
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
            directory + " holds " + found.size() + " jars " + prefix + "*.jar, expected one");
      }
      return found.get(0);
    } catch (IOException e) {
      throw DemoException.failed("cannot list " + directory + ": " + e.getMessage(), e);
    }
  }

  /** Class path entry with every jar of a directory. */
  static String all(Path directory) {
    return directory + "/*";
  }
}
