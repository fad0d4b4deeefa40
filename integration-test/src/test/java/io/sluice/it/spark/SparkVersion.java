package io.sluice.it.spark;

import io.sluice.it.cluster.ClassArchive;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A Spark version that these tests can use, and the plugin's jar for it. */
public enum SparkVersion {
  SPARK_3_3("3.3_2.12", "3.5_2.12"),
  SPARK_3_4("3.4_2.12", "3.5_2.12"),
  SPARK_3_5_SCALA_2_12("3.5_2.12", "3.5_2.12"),
  SPARK_3_5_SCALA_2_13("3.5_2.13", "3.5_2.13"),
  SPARK_4_0("4.0_2.13", "4_2.13"),
  SPARK_4_1("4.1_2.13", "4_2.13"),
  SPARK_4_2("4.2_2.13", "4_2.13");

  /** System property with the version that {@link #current} returns. */
  private static final String PROPERTY = "sluice.spark";

  private static final Path ROOT = root(Path.of(System.getProperty("user.dir")));

  private final String label;
  private final String client;

  SparkVersion(String label, String client) {
    this.label = label;
    this.client = client;
  }

  /** Root of the checkout that contains a directory. */
  private static Path root(Path directory) {
    return Files.isDirectory(directory.resolve(".mvn")) ? directory : root(directory.getParent());
  }

  /** Spark version of suites that do not choose one. */
  public static SparkVersion current() {
    String wanted = System.getProperty(PROPERTY, SPARK_3_5_SCALA_2_12.label);
    return Arrays.stream(values())
        .filter(version -> version.label.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    PROPERTY
                        + "="
                        + wanted
                        + ": expected one of "
                        + Arrays.stream(values()).map(version -> version.label).toList()));
  }

  /** Label such as {@code 4.2_2.13}. */
  String label() {
    return label;
  }

  /** Whether this version asks a plugin whether map output survives executors. */
  public boolean asksForReliableStorage() {
    return isAtLeast(SPARK_3_5_SCALA_2_12);
  }

  boolean isAtLeast(SparkVersion other) {
    return compareTo(other) >= 0;
  }

  /** Binary version of Scala. */
  String scala() {
    return label.substring(label.indexOf('_') + 1);
  }

  public Path clientJar() {
    return clientJarIn(ROOT.resolve("client-spark/spark-" + client + "/target"));
  }

  /** The plugin's jar in a directory that has one for this version. */
  Path clientJarIn(Path jars) {
    return jarIn(jars, "sluice-client-spark-" + client);
  }

  /** The optional jar with BoringSSL for the plugin of every version. */
  static Path boringSslJar() {
    return jarIn(ROOT.resolve("client-boringssl/target"), "sluice-client-boringssl");
  }

  /** Creates a minimal Spark home with links to the jars of this version. */
  void install(Path home) throws IOException {
    Files.createDirectories(home);
    Files.createSymbolicLink(home.resolve("jars"), jars());
    Files.writeString(home.resolve("RELEASE"), "Spark " + label + "\n");
  }

  /** The directory of this Spark's jars, the same in every process. */
  Path jars() throws IOException {
    if (this == SPARK_3_5_SCALA_2_12) {
      return ROOT.resolve("demo/target/spark-home/jars");
    }
    Path target = ROOT.resolve("integration-test/spark-homes/" + label + "/target");
    Path jars = target.resolve("jars");
    if (!Files.isDirectory(jars)) {
      Path unfinished = Files.createTempDirectory(target, "jars-");
      for (Path jar : resolvedJars(label)) {
        Files.createSymbolicLink(unfinished.resolve(jar.getFileName()), jar);
      }
      try {
        Files.move(unfinished, jars, StandardCopyOption.ATOMIC_MOVE);
      } catch (DirectoryNotEmptyException | FileAlreadyExistsException e) {
        // Another process was first; this directory of links stays unused.
      }
    }
    return jars;
  }

  /** Class archive shared by all applications on this Spark version. */
  ClassArchive classArchive() throws IOException {
    return new ClassArchive(
        ROOT.resolve("integration-test/target/class-archives/" + label),
        classPath(),
        List.of(jobsJar(), clientJar()));
  }

  /** Class path of drivers and executors: test jobs, plugin, Spark. */
  String classPath() throws IOException {
    return classPath(clientJar());
  }

  /** {@link #classPath()} with another jar of the plugin. */
  String classPath(Path clientJar) throws IOException {
    return jobsJar() + ":" + clientJar + ":" + jars() + "/*";
  }

  /** The directory of the demo's driver and its libraries. */
  static Path demoDriverJars() {
    return ROOT.resolve("demo/target/driver-jars");
  }

  /** The jar of Spark's tests, which has the queries of TPC-DS. */
  static Path tpcdsQueries() {
    return ROOT.resolve("demo/target/tpcds-queries/spark-sql-tests.jar");
  }

  static Path jobsJar() {
    return jarIn(ROOT.resolve("client-spark/test-jobs/target"), "sluice-spark-test-jobs");
  }

  /** Server or client of Spark Connect for the newest version. */
  static Path connectJar(String artifact) {
    return resolvedJars("connect").stream()
        .filter(jar -> jar.getFileName().toString().startsWith(artifact + "_"))
        .findFirst()
        .orElseThrow();
  }

  /** Comet for Spark 3.5 with Scala 2.12. */
  static Path cometJar() {
    return jarsIn(ROOT.resolve("client-spark/comet/target/comet-jar.txt")).get(0);
  }

  private static List<Path> resolvedJars(String module) {
    return jarsIn(ROOT.resolve("integration-test/spark-homes/" + module + "/target/jars.txt"));
  }

  private static List<Path> jarsIn(Path list) {
    try {
      return Arrays.stream(Files.readString(list).strip().split(File.pathSeparator, -1))
          .map(Path::of)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(notBuilt(list.toString()), e);
    }
  }

  /** The jar in a directory whose name starts with {@code prefix}. */
  static Path jarIn(Path target, String prefix) {
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches(prefix + "-\\d[^/]*\\.jar"))
          .findFirst()
          .orElseThrow();
    } catch (IOException | RuntimeException e) {
      throw new IllegalStateException(notBuilt(prefix + "*.jar in " + target), e);
    }
  }

  private static String notBuilt(String what) {
    return "no "
        + what
        + ": build with mvn -pl integration-test -am verify, and run integration-test/fetch-engines"
        + " for releases of nightly tests";
  }
}
