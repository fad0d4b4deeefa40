package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.cluster.ClusterNode;
import io.sluice.demo.cluster.ServerCounters;
import io.sluice.demo.yarn.HadoopProgram;
import io.sluice.demo.yarn.ProgramOutcome;
import io.sluice.demo.yarn.YarnContainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs give the right result whatever is ended while they run. */
@ExtendWith(SharedClusters.class)
final class FaultTest {
  private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";

  private static final Pattern RECOVERED =
      Pattern.compile("Read completed tasks from history [1-9]");

  private final Clusters clusters;

  FaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @AfterEach
  void startServersAgain() throws IOException, InterruptedException {
    clusters.awaitServers();
  }

  @Test
  void runsMapsAgainWhoseOutputWasAtLostServer() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "server-lost", 11).set(SLOW_START, "1.0").shut("map-3").start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    clusters.sluice().servers().get(0).kill();
    job.open("map-3");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isGreaterThan(GatedJob.MAPS);
  }

  @Test
  void fetchesWhileMapsRunAndOutlivesKilledAttempts() throws Exception {
    ServerCounters before = clusters.probe().counters();
    GatedJob job =
        new GatedJob(clusters, "attempts-killed", 12)
            .set(SLOW_START, "0.0")
            .shut("map-1")
            .shut("reduce-0")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    job.await(
        "reducers fetch what is there",
        () -> clusters.probe().counters().since(before).fetchedBytes() > 0);
    job.awaitAttempt("m_000001_0").process().destroyForcibly();
    job.open("map-1");
    job.awaitFinishedTasks(GatedJob.MAPS + GatedJob.REDUCES - 1);
    job.awaitAttempt("r_000000_0").process().destroyForcibly();
    job.open("reduce-0");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS + 1);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(GatedJob.REDUCES + 1);
  }

  @Test
  void goesOnWithFinishedMapsWhenApplicationMasterIsKilled() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "master-killed", 13)
            .set("mapreduce.jobhistory.jhist.format", "json")
            .shut("map-3")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    // The local file system keeps the last lines in memory, and they end with the process.
    job.await(
        "a finished map is in the job's history",
        () -> job.history().contains("\"type\":\"TASK_FINISHED\""));
    YarnContainer first = job.master();
    first.process().destroyForcibly();
    job.await(
        "the next application master has recovered finished maps",
        () -> RECOVERED.matcher(job.containerLogs()).find());
    job.open("map-3");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
  }

  @Test
  void leavesOrdinaryMapOutputWhenNoServerTakesIt() throws Exception {
    GatedJob job = new GatedJob(clusters, "no-server-left", 14);
    for (int map = 0; map < GatedJob.MAPS; map++) {
      job.shut("map-" + map);
    }
    job.start();
    for (int map = 0; map < GatedJob.MAPS; map++) {
      job.awaitAttempt("m_00000" + map + "_0");
    }
    clusters.sluice().servers().forEach(ClusterNode::kill);
    for (int map = 0; map < GatedJob.MAPS; map++) {
      job.open("map-" + map);
    }

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS);
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isEqualTo(GatedJob.MAPS);
    assertThat(outcome.counter("SERVER_BYTES")).isZero();
  }

  @Test
  void countsOneOfTwoSpeculativeAttempts() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "speculation", 16)
            .set("mapreduce.map.speculative", "true")
            .shut("map-2-attempt-0")
            .start();

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isGreaterThan(GatedJob.MAPS);
  }

  @Test
  void usesHadoopsShuffleWhenNoCoordinatorAnswers() throws Exception {
    Path directory = clusters.directory("no-coordinator");
    Path input = TestInputs.words(directory.resolve("in"), 2, 3_000, 15);
    ServerCounters before = clusters.probe().counters();
    ProgramOutcome outcome =
        BothWays.succeeded(
            clusters,
            HadoopProgram.example(clusters.yarn(), "wordcount")
                // Nobody listens on the port of the discard protocol.
                .set(clusters.throughSluice("127.0.0.1:9"))
                .set("mapreduce.job.reduces", "2")
                .arguments(input, directory.resolve("out"))
                .run(BothWays.TIMEOUT));

    assertThat(outcome.counter("Combine input records")).isEqualTo(6_000);
    assertThat(outcome.counter("Reduce shuffle bytes")).isPositive();
    assertThat(clusters.probe().counters().since(before).pushedBytes()).isZero();
    String logs = clusters.yarn().containerLogs(outcome.applications().get(0));
    assertThat(logs.lines().filter(line -> line.contains(" WARN ") && line.contains("io.sluice")))
        .hasSize(1);
  }
}
