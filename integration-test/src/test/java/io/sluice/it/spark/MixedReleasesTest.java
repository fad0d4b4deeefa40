package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients of a release with the servers of this build, and the reverse. The system property {@code
 * sluice.release} is the directory of the release, as {@code deploy/release} makes it.
 */
@Tag("nightly")
@EnabledIfSystemProperty(named = PackagesTest.RELEASE, matches = ".+")
class MixedReleasesTest {
  @TempDir static Path home;

  @TempDir Path directory;

  @BeforeAll
  static void unpackTheTarball() throws IOException, InterruptedException {
    Path release = Path.of(System.getProperty(PackagesTest.RELEASE));
    Path tarball;
    try (Stream<Path> files = Files.list(release)) {
      tarball = files.filter(file -> file.toString().endsWith(".tar.gz")).findFirst().orElseThrow();
    }
    List<String> command =
        List.of("tar", "-xzf", tarball.toString(), "-C", home.toString(), "--strip", "1");
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
        .as("exit code of %s", command)
        .isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"SPARK_3_5_SCALA_2_12", "SPARK_4_2"})
  void clientsOfTheRelease(SparkVersion spark) throws IOException, InterruptedException {
    try (ComparedJobs jobs = new ComparedJobs(directory)) {
      jobs.compare(spark, EngineJava.ofTests(), spark.clientJarIn(home.resolve("clients")));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SPARK_3_5_SCALA_2_12", "SPARK_4_2"})
  void serversOfTheRelease(SparkVersion spark) throws IOException, InterruptedException {
    try (ComparedJobs jobs =
        new ComparedJobs(directory, cluster -> cluster.classPath(home.resolve("jars") + "/*"))) {
      jobs.compare(spark, EngineJava.ofTests());
    }
  }
}
