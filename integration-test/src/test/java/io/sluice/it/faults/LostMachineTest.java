package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.server.remote.LocalFileSystemProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: after the loss of a machine with all its disks, only map tasks run again whose data was not
 * on the remote tier.
 *
 * <p>Method: servers write every run file to the remote tier, a directory that all of them share.
 * They write what is in memory when they are stopped cleanly, and are started again. A server is
 * killed and its local directories are deleted while the driver pauses.
 */
@Tag("nightly")
@Timeout(600)
class LostMachineTest {
  private static final int SERVERS = 3;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Number of map tasks that are done when a job pauses in its map stage. */
  private static final int MAPS_BEFORE_PAUSE = 2;

  private static final String CALM = "faults/calm*4";
  private static final String UPLOADED = "faults/uploaded*4@mapped";
  private static final String PARTLY = "faults/partly*4@in-map,mapped";

  @TempDir Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @Test
  void onlyMapsWhoseDataWasNotUploadedRunAgain() throws Exception {
    try (LocalCluster started =
            FaultCluster.builder(directory.resolve("cluster"))
                .servers(SERVERS)
                // A restarted server is not lost. Drivers receive moves every three seconds.
                .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "20s")
                .configureCoordinators("rss.coordinator.app.expired", "9s")
                .configureServers("rss.server.app.expired.withoutHeartbeat", "1m")
                .configureServers("rss.storage.type", "MEMORY_LOCALFILE_HDFS")
                .configureServers("rss.server.remote.storage.path", "local:" + remote())
                .configureServers(
                    "rss.server.hadoop.classpath",
                    LocalFileSystemProvider.classPath(directory.resolve("classes")))
                .configureServers("rss.server.flush.cold.storage.threshold.size", "1")
                .configureServers("rss.server.disk.capacity", "1m")
                .configureServers("rss.server.remote.storage.capacity", "10g")
                .configureServers("rss.server.high.watermark.write", "1")
                .configureServers("rss.server.low.watermark.write", "0")
                .build();
        ClusterProbe asked = new ClusterProbe(started)) {
      cluster = started;
      probe = asked;
      cluster.start();
      probe.awaitActiveServers(SERVERS, LIMIT);

      Outcome found =
          FaultCluster.impatient(
                  SparkApplication.onSluice(directory.resolve("job"), cluster.quorum()))
              .set("spark.rss.client.server.unreachable.timeout", "20s")
              .set("spark.cleaner.referenceTracking", "false")
              .at(
                  "uploaded*4/mapped",
                  () -> {
                    upload(server(0));
                    lose(server(0));
                  })
              .at("partly*4/in-map", () -> upload(server(1)))
              .at("partly*4/mapped", () -> lose(server(1)))
              .run(List.of(CALM, UPLOADED, PARTLY));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.fallbacks()).isEmpty();
      assertThat(found.digest(UPLOADED)).isEqualTo(found.digest(CALM));
      assertThat(found.number(UPLOADED, "mapTasks")).isEqualTo(Expectation.MAPS);
      assertThat(found.number(UPLOADED, "failedTasks")).isZero();
      assertThat(found.digest(PARTLY)).isEqualTo(found.digest(CALM));
      assertThat(found.number(PARTLY, "mapTasks"))
          .isEqualTo(2 * Expectation.MAPS - MAPS_BEFORE_PAUSE);
    }
  }

  private ClusterNode server(int index) {
    return cluster.servers().get(index);
  }

  private Path remote() {
    return directory.resolve("remote");
  }

  /** Writes all data of a server to the remote tier. */
  private void upload(ClusterNode server) throws IOException, InterruptedException {
    server.stop();
    server.start();
    probe.await("no local run files", LIMIT, () -> runs(server.directory()) == 0);
    assertThat(runs(remote())).isPositive();
  }

  private static long runs(Path parent) throws IOException {
    try (Stream<Path> files = Files.walk(parent)) {
      return files.filter(file -> file.toString().endsWith(".run")).count();
    } catch (java.io.UncheckedIOException e) {
      // A file was deleted while the directory was being listed.
      return -1;
    }
  }

  /** Kills a server, deletes its disks, and waits until the driver knows who serves its runs. */
  private void lose(ClusterNode server) throws IOException, InterruptedException {
    server.kill();
    try (Stream<Path> files = Files.walk(server.directory())) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    }
    probe.await(
        "the driver to know the new server of the runs of " + server.name(),
        LIMIT,
        () -> probe.hasEvent(cluster.coordinator(), "SHUFFLE_MOVE_APPLIED", server));
  }
}
