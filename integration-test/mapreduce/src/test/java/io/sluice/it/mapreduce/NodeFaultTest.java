package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnContainer;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Map output on servers survives the loss of a node. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class NodeFaultTest {
  private final Clusters clusters;
  private final YarnRest rest;

  NodeFaultTest(Clusters clusters) {
    this.clusters = clusters;
    this.rest = new YarnRest(clusters.yarn());
  }

  @Test
  void doesNotRepeatFinishedMapsOfALostNode() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "node-lost", 24)
            .set(GatedJob.SLOW_START, "1.0")
            // Limits the time for which the application master tries to stop containers on the lost
            // node.
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
    // One map must end afterwards, preferably on another node.
    YarnContainer last =
        maps.stream().min(Comparator.comparing(map -> map.node() == lost)).orElseThrow();
    for (int map = 0; map < GatedJob.MAPS; map++) {
      if (map != maps.indexOf(last)) {
        job.open("map-" + map);
      }
    }
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    for (YarnContainer map : maps) {
      if (!map.equals(last)) {
        job.awaitExit(map);
      }
    }
    int lostBefore = rest.lostNodes();
    clusters.yarn().loseNode(lost);
    job.await("the resource manager has lost the node", () -> rest.lostNodes() > lostBefore);
    // The resource manager reports the lost node before it allocates the container of the next
    // attempt. So when that attempt runs, the application master has processed the loss.
    if (last.node() != lost) {
      job.onAttempt("-kill-task", "m_00000" + maps.indexOf(last) + "_0");
    }
    job.awaitAttempt("m_00000" + maps.indexOf(last) + "_1");
    job.openAll();

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks"))
        .as("only the running map is repeated")
        .isEqualTo(GatedJob.MAPS + 1);
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
    ShuffleComparison.assertAllCameFromServers(outcome);
  }
}
