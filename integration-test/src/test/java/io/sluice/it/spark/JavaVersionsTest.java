package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Drivers and executors, or the servers, in other Java runtimes than that of the tests. {@code
 * integration-test/fetch-java} gets the runtimes.
 */
@Tag("nightly")
@EnabledIfEnvironmentVariable(named = EngineJava.VARIABLE, matches = ".+")
@TestInstance(Lifecycle.PER_CLASS)
class JavaVersionsTest {
  private static final List<SparkVersion> ON_JAVA_8 =
      List.of(
          SparkVersion.SPARK_3_3,
          SparkVersion.SPARK_3_4,
          SparkVersion.SPARK_3_5_SCALA_2_12,
          SparkVersion.SPARK_3_5_SCALA_2_13);

  @TempDir static Path directory;

  private ComparedJobs jobs;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    jobs = new ComparedJobs(directory);
  }

  @AfterAll
  void stopCluster() {
    if (jobs != null) {
      jobs.close();
    }
  }

  static Stream<Arguments> runtimes() {
    return EngineJava.configured().stream()
        .flatMap(java -> versionsOn(java.feature()).map(spark -> Arguments.of(java, spark)));
  }

  /** The Spark versions that support a version of Java. */
  private static Stream<SparkVersion> versionsOn(int java) {
    return switch (java) {
      case 8 -> ON_JAVA_8.stream();
      case 11 -> Stream.of(SparkVersion.SPARK_3_3, SparkVersion.SPARK_3_5_SCALA_2_12);
      case 17 -> Arrays.stream(SparkVersion.values());
      case 21 -> Stream.of(SparkVersion.SPARK_3_5_SCALA_2_12, SparkVersion.SPARK_4_0);
      default -> Stream.of(SparkVersion.SPARK_4_2);
    };
  }

  @ParameterizedTest
  @MethodSource("runtimes")
  void jobsAreTheSame(EngineJava java, SparkVersion spark)
      throws IOException, InterruptedException {
    jobs.compare(spark, java);
  }

  static Stream<EngineJava> laterJavas() {
    return EngineJava.configured().stream().filter(java -> java.feature() > 17);
  }

  /** Coordinators and servers in a later version. */
  @ParameterizedTest
  @MethodSource("laterJavas")
  void serversRunIn(EngineJava java) throws IOException, InterruptedException {
    Path own = directory.resolve("servers-" + java.feature());
    try (ComparedJobs comparison =
        new ComparedJobs(own, cluster -> cluster.java(Path.of(java.command())))) {
      comparison.compare(SparkVersion.SPARK_4_2, EngineJava.ofTests());
    }
  }

  static Stream<EngineJava> javas() {
    return EngineJava.configured().stream();
  }

  /** Also classes that no job uses are verified; a class of servers needs SLF4J of Spark 3.5. */
  @ParameterizedTest
  @MethodSource("javas")
  void everyClassLoads(EngineJava java) throws IOException, InterruptedException {
    for (SparkVersion spark :
        List.of(SparkVersion.SPARK_3_5_SCALA_2_12, SparkVersion.SPARK_3_5_SCALA_2_13)) {
      Path log = directory.resolve("classes-" + java.feature() + "-" + spark.label());
      Process process =
          new ProcessBuilder(
                  java.command(),
                  "-Xverify:all",
                  "-cp",
                  classPath(spark),
                  "io.sluice.it.spark.jobs.LoadClasses",
                  spark.clientJar().toString())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      assertThat(process.waitFor()).as(Files.readString(log)).isZero();
    }
  }

  /** With libraries that a jar refers to and does not contain: OpenTelemetry and Comet. */
  private static String classPath(SparkVersion spark) throws IOException {
    List<String> entries = new ArrayList<>(List.of(spark.classPath()));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.contains("opentelemetry")) {
        entries.add(entry);
      }
    }
    if (spark == SparkVersion.SPARK_3_5_SCALA_2_12) {
      entries.add(SparkVersion.cometJar().toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  static Stream<Arguments> wrongJars() {
    return EngineJava.configured().stream()
        .filter(java -> java.feature() < 17)
        .map(
            java ->
                Arguments.of(
                    java, SparkVersion.SPARK_3_5_SCALA_2_12, SparkVersion.SPARK_4_0, "3.5_2.12"));
  }

  /** The message is for users, and the only help that they get. */
  @ParameterizedTest
  @MethodSource("wrongJars")
  void aWrongJarNamesTheRightOne(
      EngineJava java, SparkVersion spark, SparkVersion jar, String right)
      throws IOException, InterruptedException {
    Outcome outcome =
        SparkApplication.onSluice(
                spark, directory.resolve("wrong-jar-" + java.feature()), jobs.quorum())
            .withClientJar(jar.clientJar())
            .onJava(java)
            .run(List.of("groupByKey"));

    assertThat(outcome.exitCode()).isNotZero();
    assertThat(outcome.linesWith("replace it by sluice-client-spark-" + right + ".jar"))
        .as(outcome.log())
        .isPositive();
  }
}
