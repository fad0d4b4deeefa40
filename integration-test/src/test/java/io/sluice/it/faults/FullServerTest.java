package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Healthy servers that refuse data of one shuffle or of some partitions because they are full. */
@Tag("nightly")
@Timeout(300)
class FullServerTest {
  private static final int SERVERS = 3;
  private static final String BASELINE = "faults/own";
  private static final String FIRST = "faults/first";
  private static final String NO_SPACE = "faults/no-space";

  /** Makes partitions larger than the servers' limit below. */
  private static final String WIDE = "*16";

  @TempDir Path directory;

  @Test
  void blocksThatAFullServerRefusesAreOnAnotherOne() throws IOException, InterruptedException {
    Outcome own =
        new SparkApplication(directory.resolve("own")).run(List.of(BASELINE, BASELINE + WIDE));
    assertThat(own.exitCode()).as(own.log()).isZero();
    try (LocalCluster cluster =
            FaultCluster.builder(directory.resolve("cluster"))
                .servers(SERVERS)
                .configureServers("rss.server.huge.partition.threshold", "1MiB")
                .build();
        ClusterProbe probe = new ClusterProbe(cluster)) {
      cluster.servers().get(0).configure("rss.server.shuffles.max", "1");
      cluster.start();
      probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));

      Outcome found =
          FaultCluster.impatient(
                  SparkApplication.onSluice(directory.resolve("full"), cluster.quorum()))
              // The first shuffle is stored until the application ends.
              .set("spark.cleaner.referenceTracking", "false")
              .run(List.of(FIRST, NO_SPACE, FIRST + WIDE));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.digest(FIRST)).isEqualTo(own.digest(BASELINE));
      assertThat(found.digest(NO_SPACE)).isEqualTo(own.digest(BASELINE));
      assertThat(found.digest(FIRST + WIDE)).isEqualTo(own.digest(BASELINE + WIDE));
      for (String job : List.of(FIRST, NO_SPACE, FIRST + WIDE)) {
        assertThat(found.number(job, "failedTasks")).as(job).isZero();
        assertThat(found.number(job, "mapTasks")).as(job).isEqualTo(Expectation.MAPS);
      }
      assertThat(found.shuffle(FIRST, "generation")).isZero();
      long forOneServer = found.shuffle(NO_SPACE, "generation");
      assertThat(forOneServer).isPositive();
      assertThat(found.shuffle(FIRST + WIDE, "generation"))
          .as("assignment changes for the full server and for full partitions")
          .isGreaterThan(forOneServer);
    }
  }
}
