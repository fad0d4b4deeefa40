package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnContainer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs survive the loss of their application master and a missing coordinator. */
@ExtendWith(SharedClusters.class)
final class MasterFaultTest {
  private final Clusters clusters;

  MasterFaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void keepsFinishedMapsWhenApplicationMasterIsKilled() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "master-killed", 13)
            .set("mapreduce.jobhistory.jhist.format", "json")
            .shut("map-3")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    // The local file system buffers the last lines in memory, and they are lost with the process.
    job.await(
        "a finished map is in the job's history",
        () -> job.history().contains("\"type\":\"TASK_FINISHED\""));
    YarnContainer first = job.master();
    first.process().destroyForcibly();
    job.awaitExit(first);
    job.awaitRecoveredMap();
    job.open("map-3");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
  }

  @Test
  @Tag("nightly")
  void fallsBackWhenNoCoordinatorAnswers() throws Exception {
    Path directory = clusters.directory("no-coordinator");
    Path input = TestInputs.words(directory.resolve("in"), 2, 3_000, 15);
    ClusterCounters before = clusters.probe().counters();
    ProgramOutcome outcome =
        ShuffleComparison.succeeded(
            clusters.yarn(),
            HadoopProgram.example(clusters.yarn(), "wordcount")
                // No process listens on the port of the discard protocol.
                .set(clusters.throughSluice("127.0.0.1:9"))
                .set("mapreduce.rss.access.timeout.ms", "10s")
                .set("mapreduce.job.reduces", "2")
                .arguments(input, directory.resolve("out"))
                .run(ShuffleComparison.TIMEOUT));

    assertThat(outcome.counter("Combine input records")).isEqualTo(6_000);
    assertThat(outcome.counter("Reduce shuffle bytes")).isPositive();
    assertThat(clusters.probe().counters().since(before).pushedBytes()).isZero();
    String logs = clusters.yarn().containerLogs(outcome.applications().get(0));
    assertThat(logs.lines().filter(line -> line.contains(" WARN ") && line.contains("io.sluice")))
        .hasSize(1);
  }
}
