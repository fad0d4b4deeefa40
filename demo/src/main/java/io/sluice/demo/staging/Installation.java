package io.sluice.demo.staging;

import io.sluice.demo.driver.Workload;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Locations of the files that the demo starts.
 *
 * @param jars directory with the jars of coordinator, server and command line
 * @param clients directory with the plugins: for Spark, one jar per Spark version line and Scala
 *     version; one jar for MapReduce
 * @param driverJars directory with the jars of the Spark drivers; its subdirectory {@code
 *     mapreduce} has the jar of the mini cluster's process
 */
public record Installation(Path jars, Path clients, Path driverJars) {
  private static final String JARS = "sluice.jars";
  private static final String CLIENTS = "sluice.clients";
  private static final String DRIVER_JARS = "sluice.demo.jars";

  /** System property with the Spark home of the build; not set in a distribution. */
  static final String SPARK_HOME = "sluice.spark.home";

  /** System property with the file that lists Hadoop's jars; not set in a distribution. */
  private static final String HADOOP_JARS = "sluice.hadoop.jars";

  /** System property with the jar of the TPC-DS queries; not set in a distribution. */
  private static final String TPCDS_QUERIES = "sluice.tpcds.queries";

  public static Installation of(Properties system) throws DemoException {
    return new Installation(
        directory(system, JARS), directory(system, CLIENTS), directory(system, DRIVER_JARS));
  }

  private static Path directory(Properties system, String key) throws DemoException {
    String value = system.getProperty(key);
    if (value == null) {
      throw DemoException.usage(
          "system property "
              + key
              + " is not set: start the demo with the sluice launcher, or set it to a directory");
    }
    Path directory = Path.of(value);
    if (!Files.isDirectory(directory)) {
      throw DemoException.usage(
          "system property " + key + ": \"" + value + "\" is not a directory");
    }
    return directory.toAbsolutePath();
  }

  /** Jar of the plugin for a Spark installation. */
  Path clientJar(SparkHome spark) throws DemoException {
    return onlyJar(clients, "sluice-client-spark-" + spark.client() + "-");
  }

  /** Jar of the plugin for MapReduce. */
  Path mapReduceJar() throws DemoException {
    return onlyJar(clients, "sluice-client-mr-");
  }

  /** Jar of the mini cluster's process. */
  Path yarnHostJar() throws DemoException {
    return onlyJar(driverJars.resolve("mapreduce"), "sluice-demo-mapreduce-");
  }

  /**
   * File with the list of Hadoop's jars. Checks that all of them exist.
   *
   * @param system properties of this process
   */
  static Path hadoopJars(Properties system) throws DemoException {
    String value = system.getProperty(HADOOP_JARS);
    if (value == null) {
      throw DemoException.usage(
          "no Hadoop: the MapReduce demo runs only from a checkout of Sluice, whose build "
              + "downloads Hadoop");
    }
    Path list = Path.of(value);
    try {
      for (String jar : Files.readString(list).strip().split(File.pathSeparator, -1)) {
        if (!Files.isRegularFile(Path.of(jar))) {
          throw DemoException.usage(
              list
                  + " lists "
                  + jar
                  + ", which does not exist: delete "
                  + list
                  + " and build again");
        }
      }
    } catch (IOException e) {
      throw DemoException.failed("cannot read the list of Hadoop's jars " + list + ": " + e, e);
    }
    return list;
  }

  /**
   * Jar with the queries of a workload; empty if they are in the demo.
   *
   * @param system properties of this process
   */
  public static Optional<Path> queryTexts(Workload workload, Properties system)
      throws DemoException {
    return workload == Workload.TPCDS ? Optional.of(tpcdsQueries(system)) : Optional.empty();
  }

  private static Path tpcdsQueries(Properties system) throws DemoException {
    String value = system.getProperty(TPCDS_QUERIES);
    if (value == null) {
      throw DemoException.usage(
          "no queries of TPC-DS: they run only from a checkout of Sluice, whose build "
              + "downloads the jar of Spark's tests with the queries");
    }
    Path jar = Path.of(value);
    if (!Files.isRegularFile(jar)) {
      throw DemoException.usage(
          "the jar with the queries of TPC-DS does not exist: " + value + "; build again");
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
            directory + " has " + found.size() + " files " + prefix + "*.jar, expected one");
      }
      return found.get(0);
    } catch (IOException e) {
      throw DemoException.failed("cannot list " + directory + ": " + e.getMessage(), e);
    }
  }

  /** Class path entry for all jars of a directory. */
  static String all(Path directory) {
    return directory + "/*";
  }
}
