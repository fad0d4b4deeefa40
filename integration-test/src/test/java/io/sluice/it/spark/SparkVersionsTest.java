package io.sluice.it.spark;

import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ComparedJobs} on the newest Spark version in every build, on all others nightly. The other
 * suites use {@link SparkVersion#current()}.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SparkVersionsTest {
  private static final SparkVersion NEWEST = SparkVersion.SPARK_4_2;

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .configureServers("rss.server.buffer.capacity", "64MiB")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, Duration.ofSeconds(30));
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  static Stream<SparkVersion> versions() {
    return Arrays.stream(SparkVersion.values()).filter(version -> version != NEWEST);
  }

  @Test
  void jobsAreTheSameOnTheNewest() throws IOException, InterruptedException {
    jobsAreTheSame(NEWEST);
  }

  @ParameterizedTest
  @MethodSource("versions")
  @Tag("nightly")
  void jobsAreTheSame(SparkVersion spark) throws IOException, InterruptedException {
    new ComparedJobs(cluster, probe, directory).compare(spark, EngineJava.ofTests());
  }
}
