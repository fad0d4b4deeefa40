package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Local output first, pushed in the background. With healthy servers, readers get nearly all data
 * from them. If all servers are lost at any point, no task is repeated.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class AlwaysTest {
  private static final int SERVERS = 2;
  private static final int MAPS_OF_FAULT_JOB = 6;

  private static final List<String> JOBS =
      List.of(
          "groupByKey",
          "sortByKey",
          "emptyShuffle",
          "manyPartitions",
          "largeRecords",
          "twoStages",
          "skewJoin",
          "localReader");

  /** Points at which all servers are lost: before the map stage, after it, in the reduce stage. */
  private static final List<String> POINTS = List.of("registered", "in-map", "mapped", "in-read");

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .servers(SERVERS)
            // No spills: the servers' counters do not include direct reads of files.
            .configureServers("rss.server.buffer.capacity", "512MiB")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private SparkApplication application(String name) {
    return SparkApplication.onSluice(directory.resolve(name), cluster.quorum())
        .set("spark.rss.local.output", "always")
        .set("spark.rss.client.server.unreachable.timeout", "2s")
        .set("spark.rss.client.connect.timeout", "2s")
        .set("spark.rss.client.retry.interval.max", "300ms");
  }

  private void startServers() throws IOException, InterruptedException {
    for (ClusterNode server : cluster.servers()) {
      if (!server.isAlive()) {
        server.start();
      }
    }
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  @Test
  @Tag("nightly")
  void readersGetNearlyAllDataFromHealthyServers() throws IOException, InterruptedException {
    startServers();
    Outcome own = new SparkApplication(directory.resolve("own")).run(JOBS);
    assertThat(own.exitCode()).as(own.log()).isZero();
    ClusterCounters before = probe.counters();

    Outcome found =
        application("well")
            // Less than the output of one map task, so local output is written in several passes.
            .set("spark.rss.writer.buffer.spill.size", "2m")
            // Long enough that a slow machine does not read local files instead of waiting.
            .set("spark.rss.merge.wait", "60s")
            .set("spark.rss.merge.threshold", "100")
            .run(JOBS);

    assertThat(found.exitCode()).as(found.log()).isZero();
    long written = 0;
    long read = 0;
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
      assertThat(found.number(job, "recordsRead"))
          .as(job)
          .isEqualTo(own.number(job, "recordsRead"));
      written += found.number(job, "bytesWritten");
      read += found.number(job, "localBytesRead") + found.number(job, "remoteBytesRead");
    }
    ClusterCounters did = probe.counters().since(before);
    assertThat(did.spilledBytes()).isZero();
    assertThat(did.pushedBytes()).isBetween(written * 9 / 10, written);
    assertThat(did.fetchedBytes()).as("of %d bytes", read).isGreaterThan(read * 9 / 10);
  }

  @Test
  void noTaskIsRepeatedWhenAllServersAreLost() throws IOException, InterruptedException {
    SparkApplication application = application("lost").set("spark.rss.merge.wait", "2s");
    List<String> jobs = new ArrayList<>();
    for (String point : POINTS) {
      application
          .at("start/" + point, this::startServers)
          .at(point + "/" + point, () -> cluster.servers().forEach(ClusterNode::kill));
      jobs.add("pause:start/" + point);
      jobs.add(lossAt(point));
    }

    Outcome found = application.run(jobs);

    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String point : POINTS) {
      String job = lossAt(point);
      assertThat(found.digest(job)).as(job).isEqualTo(BuiltInDigests.of(job));
      assertThat(found.number(job, "mapTasks")).as(job).isEqualTo(MAPS_OF_FAULT_JOB);
      assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
      assertThat(found.number(job, "localBytesRead")).as(job + " local bytes").isPositive();
    }
  }

  private static String lossAt(String point) {
    return "faults/" + point + "@" + point;
  }
}
