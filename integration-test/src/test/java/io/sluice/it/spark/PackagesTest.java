package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spark 4 resolves the client jar by its coordinates from the repository of a release that {@code
 * deploy/release} has built. The system property {@code sluice.release} is its directory.
 */
@Tag("nightly")
@EnabledIfSystemProperty(named = PackagesTest.RELEASE, matches = ".+")
@TestInstance(Lifecycle.PER_CLASS)
class PackagesTest {
  static final String RELEASE = "sluice.release";

  private static final SparkVersion SPARK = SparkVersion.SPARK_4_2;
  private static final String ARTIFACT = "sluice-client-spark-4_2.13";
  private static final List<String> JOBS = List.of("groupByKey", "join");

  @TempDir static Path directory;

  private final Path repository = Path.of(System.getProperty(RELEASE, ""), "maven");
  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster = TestCluster.builder(directory.resolve("cluster")).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, Duration.ofSeconds(30));
  }

  @AfterAll
  void stopCluster() {
    if (probe != null) {
      probe.close();
    }
    cluster.close();
  }

  @Test
  void aSubmittedJobResolvesPackages() throws IOException, InterruptedException {
    Outcome own = new SparkApplication(SPARK, directory.resolve("own")).run(JOBS);
    assertThat(own.exitCode()).as(own.log()).isZero();

    Outcome found =
        application("packages")
            .submitOptions("--packages", coordinates(), "--repositories", repositoryAddress())
            .run(JOBS);

    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
    }
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
    assertOnlyJarOfRelease("packages");
  }

  @Test
  void aPythonProgramResolvesPackagesOfItsSettings() throws IOException, InterruptedException {
    PySparkProgram program = PySparkProgram.assumedFor(SPARK, directory);
    Outcome own = program.run(new SparkApplication(SPARK, directory.resolve("own-python")));

    Outcome found =
        program.run(
            application("python")
                .set("spark.jars.packages", coordinates())
                .set("spark.jars.repositories", repositoryAddress()));

    PySparkProgram.assertSameOnSluice(found, own);
    assertOnlyJarOfRelease("python");
  }

  /** An application without the client jar, and with an empty cache of resolved jars. */
  private SparkApplication application(String name) {
    return SparkApplication.submittedWithJars(SPARK, directory.resolve(name), cluster.quorum())
        .set("spark.jars", SparkVersion.jobsJar().toString())
        .set("spark.jars.ivy", directory.resolve(name + "-ivy").toString())
        .withOneExecutor();
  }

  private String coordinates() throws IOException {
    return "io.sluice:" + ARTIFACT + ":" + version();
  }

  private String repositoryAddress() {
    return repository.toUri().toString();
  }

  /** The one version in the repository. */
  private String version() throws IOException {
    try (Stream<Path> versions = Files.list(repository.resolve("io/sluice").resolve(ARTIFACT))) {
      return versions.map(path -> path.getFileName().toString()).findFirst().orElseThrow();
    }
  }

  /** Libraries beside the client jar would be a second copy of those in it. */
  private void assertOnlyJarOfRelease(String name) throws IOException {
    String version = version();
    Path expected =
        repository
            .resolve("io/sluice")
            .resolve(ARTIFACT)
            .resolve(version)
            .resolve(ARTIFACT + "-" + version + ".jar");
    try (Stream<Path> jars = Files.list(directory.resolve(name + "-ivy/jars"))) {
      assertThat(jars)
          .singleElement()
          .satisfies(jar -> assertThat(jar).hasSameBinaryContentAs(expected));
    }
  }
}
