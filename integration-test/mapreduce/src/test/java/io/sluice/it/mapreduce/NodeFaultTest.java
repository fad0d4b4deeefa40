package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.yarn.ProgramOutcome;
import io.sluice.demo.yarn.YarnContainer;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node that is lost takes no map output with it that is at servers. */
@ExtendWith(SharedClusters.class)
final class NodeFaultTest {
  /** Until then a map that has finished still counts as running, and is killed with its node. */
  private static final Pattern ENDED =
      Pattern.compile("_m_\\d+_0 TaskAttempt Transitioned from SUCCESS_\\w+ to SUCCEEDED");

  private final Clusters clusters;

  NodeFaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void runsNoMapAgainThatHasEndedOnLostNode() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "node-lost", 24)
            .set(GatedJob.SLOW_START, "1.0")
            // For so long the application master tries to end containers there.
            .set("yarn.client.nodemanager-connect.max-wait-ms", "3000")
            .set("yarn.client.nodemanager-connect.retry-interval-ms", "500")
            .shutMaps()
            .start();
    List<YarnContainer> maps = job.awaitMaps();
    int masters = job.master().node();
    int lost =
        maps.stream()
            .mapToInt(YarnContainer::node)
            .filter(node -> node != masters)
            .findFirst()
            .orElseThrow();
    // One map is to end afterwards: not there, if there is another one.
    YarnContainer last =
        maps.stream().min(Comparator.comparing(map -> map.node() == lost)).orElseThrow();
    for (int map = 0; map < GatedJob.MAPS; map++) {
      if (map != maps.indexOf(last)) {
        job.open("map-" + map);
      }
    }
    job.await(
        "finished maps have left their containers",
        () -> ENDED.matcher(job.containerLogs()).results().count() == GatedJob.MAPS - 1);
    clusters.yarn().loseNode(lost);
    job.await(
        "the application master knows",
        () -> job.containerLogs().contains("map not run again, its output is at servers"));
    job.openAll();

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks"))
        .isEqualTo(GatedJob.MAPS + (last.node() == lost ? 1 : 0));
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
    BothWays.assertAllCameFromServers(outcome);
  }
}
