package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An executor whose JVM limits direct memory, as in a container. The plugin must stay within the
 * limit although its tasks are configured to buffer many times more.
 */
class ExecutorMemoryTest {
  private static final List<String> JOBS = List.of("incompressible");

  @TempDir static Path directory;

  @Test
  void tasksStayWithinTheLimitOfDirectMemory() throws IOException, InterruptedException {
    Outcome found;
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
      }
      found =
          SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
              .set("spark.master", "local-cluster[1,4,1024]")
              .set("spark.rss.client.send.in.flight.size", "256m")
              .set("spark.rss.client.read.buffer.size", "8m")
              .set("spark.rss.client.read.prefetch.capacity", "64")
              .set("spark.rss.client.read.shortcircuit.enabled", "false")
              // Executors fail at start if their limit of direct memory is lower.
              .set("spark.network.maxRemoteBlockSizeFetchToMem", "64m")
              .executorOptions("-XX:MaxDirectMemorySize=128m")
              .run(JOBS);
    }

    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(found.log()).isEqualTo(BuiltInDigests.of(job));
      assertThat(found.number(job, "failedTasks")).as(found.log()).isZero();
    }
  }
}
