package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.AdminProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code sluice admin explain} of a job that has ended. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class ExplainTest {
  private final Clusters clusters;

  ExplainTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void explainsAJobFromTheReportsOfItsTasks() throws Exception {
    GatedJob job = new GatedJob(clusters, "explain", 41).start();
    job.awaitRightResult();

    AdminProcess.Outcome explained =
        AdminProcess.start(
                line -> {},
                "explain",
                job.application(),
                "--coordinator",
                clusters.sluice().quorum())
            .await();

    assertThat(explained.exitCode()).as(explained.lines().toString()).isZero();
    assertThat(explained.lines().get(0))
        .matches(
            "pushed [1-9].*, read [1-9].*, written locally 0 B, read locally 0 B;"
                + " repeated: 0 pushes, 0 reads; replacement servers: 0");
    assertThat(explained.lines()).as("servers").anyMatch(line -> line.matches(".*:[0-9]+ .*"));
  }
}
