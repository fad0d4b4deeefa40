package io.sluice.client.push;

import static io.sluice.client.push.TestPushes.PARTITIONS;
import static io.sluice.client.push.TestPushes.add;
import static io.sluice.client.push.TestPushes.addAll;
import static io.sluice.client.push.TestPushes.assertWhole;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Servers that report full partitions: 0 and 1 are assigned, 2 and 3 are spare. */
class FullPartitionTest {
  @Test
  void sendsLaterBlocksOfFullPartitionsToAnAdditionalServer() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(4, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      cluster.server(0).callFullAbove(20_000);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
        for (int i = 0; i < 40; i++) {
          add(session, 1, 3000);
          add(session, 3, i % 10 == 0 ? 100 : 1);
          add(session, 6, 500);
        }
        session.finish();

        assertThat(driver.asked()).containsExactly("FULL server-0 [1]");
        assertThat(cluster.server(2).accepted()).isNotEmpty().allMatch(h -> h.partition() == 1);
        assertThat(cluster.server(0).storedBytes(1)).isBetween(20_000L, 60_000L);
        assertThat(cluster.server(0).storedBytes(3)).isPositive();
        assertThat(session.counters().rerouted().replacementServers()).isEqualTo(1);
        assertThat(session.counters().rerouted().reroutedFrames()).isZero();
        assertWhole(cluster, driver.newest(), null, 5, session.partitionLengths());
      }
    }
  }

  @Test
  void keepsAFullServerIfNoOtherIsAvailable() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      FakeDriver driver = new FakeDriver(cluster, assignment);
      cluster.server(0).callFullAbove(0);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, new CollectingSink()))) {
        addAll(session);
        session.finish();

        assertThat(new TreeSet<>(driver.asked())).hasSameSizeAs(driver.asked());
        assertThat(session.counters().rerouted().localFrames()).isZero();
        assertWhole(cluster, assignment, null, 5, session.partitionLengths());
      }
    }
  }
}
