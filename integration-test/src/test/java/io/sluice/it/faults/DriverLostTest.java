package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.GetStatusReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application that ends without unregistering: its lease expires, and its space is freed. */
@Tag("nightly")
@Timeout(300)
class DriverLostTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir Path directory;

  @Test
  void memoryAndFilesComeBackWhenTheLeaseOfALostDriverEnds()
      throws IOException, InterruptedException {
    try (LocalCluster cluster =
            FaultCluster.builder(directory.resolve("cluster"))
                .servers(1)
                .configureCoordinators("rss.coordinator.app.expired", "15s")
                .configureServers("rss.server.app.expired.withoutHeartbeat", "15s")
                .configureServers("rss.server.buffer.capacity", "16m")
                // Spilling starts at about 320 KB.
                .configureServers("rss.server.memory.shuffle.highWaterMark.percentage", "2")
                .configureServers("rss.server.memory.shuffle.lowWaterMark.percentage", "1")
                .build();
        ClusterProbe probe = new ClusterProbe(cluster)) {
      cluster.start();
      probe.awaitActiveServers(1, LIMIT);
      ClusterNode server = cluster.servers().get(0);
      SparkApplication application =
          FaultCluster.impatient(
              SparkApplication.onSluice(directory.resolve("lost"), cluster.quorum()));
      application.at(
          "lost/in-map",
          () -> {
            awaitSpill(probe, server);
            GetStatusReply stored = probe.status(server);
            assertThat(stored.getApplications()).isEqualTo(1);
            assertThat(stored.getLoad().getStoredBytes()).isPositive();
            assertThat(runFiles(server)).isPositive();
            application.kill();
          });

      Outcome found = application.run(List.of("faults/lost@in-map"));

      assertThat(found.exitCode()).isNotZero();
      probe.await(
          "the server has removed the application's data",
          LIMIT,
          () -> {
            GetStatusReply status = probe.status(server);
            if (!isFree(status) || runFiles(server) > 0) {
              throw new IOException(status + ", run files " + runFiles(server));
            }
            return true;
          });
    }
  }

  private static boolean isFree(GetStatusReply status) {
    return status.getApplications() == 0
        && status.getShuffles() == 0
        && status.getLoad().getStoredBytes() == 0
        && status.getLoad().getMemoryUsedBytes() == 0;
  }

  private static void awaitSpill(ClusterProbe probe, ClusterNode server)
      throws IOException, InterruptedException {
    probe.await("the server has spilled", LIMIT, () -> probe.status(server).getSpilledRuns() > 0);
  }

  private static long runFiles(ClusterNode server) throws IOException {
    try (Stream<Path> files = Files.walk(server.directory().resolve("data"))) {
      return files.filter(file -> file.getFileName().toString().endsWith(".run")).count();
    }
  }
}
