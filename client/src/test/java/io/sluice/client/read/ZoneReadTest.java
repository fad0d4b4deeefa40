package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FramedPushSession;
import org.junit.jupiter.api.Test;

/** Two replicas of each partition, on servers in different zones. */
class ZoneReadTest {
  private static final int PARTITIONS = 20;

  private static void read(FakeCluster cluster, ShuffleAssignment assignment) throws Exception {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      request.expect(partition, 1, 0);
    }
    try (ShuffleRead read = cluster.read(request.build())) {
      int blocks = 0;
      while (read.next() != null) {
        blocks++;
      }
      assertThat(blocks).isEqualTo(PARTITIONS);
    }
  }

  private static ShuffleAssignment pushed(FakeCluster cluster) throws Exception {
    cluster.server(0).zone("a");
    cluster.server(1).zone("b");
    ShuffleAssignment assignment = cluster.assign(PARTITIONS, 4, 2);
    try (FramedPushSession session = cluster.push(assignment, 1, 0)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        session.add(partition, new byte[100], 0, 100, 1);
      }
      session.finish();
    }
    return assignment;
  }

  private static void use(FakeCluster cluster, String zone) {
    cluster.use(new ReadConfig(8 << 10, 3, 1 << 30, 20_000, 1 << 20, FakeCluster.QUICK, zone));
  }

  @Test
  void readsReplicasInItsZone() throws Exception {
    for (int own = 0; own < 2; own++) {
      try (FakeCluster cluster = FakeCluster.inline(2, new Faults() {})) {
        ShuffleAssignment assignment = pushed(cluster);
        use(cluster, own == 0 ? "a" : "b");
        // Each read has another connection slot, which selects among equal replicas.
        for (int i = 0; i < 4; i++) {
          read(cluster, assignment);
        }

        assertThat(cluster.server(own).fetches()).isPositive();
        assertThat(cluster.server(1 - own).fetches()).isZero();
      }
    }
  }

  @Test
  void readsAnyReplicaIfNoneIsInItsZone() throws Exception {
    for (String zone : new String[] {"c", ""}) {
      try (FakeCluster cluster = FakeCluster.inline(2, new Faults() {})) {
        ShuffleAssignment assignment = pushed(cluster);
        use(cluster, zone);
        for (int i = 0; i < 4; i++) {
          read(cluster, assignment);
        }

        assertThat(cluster.server(0).fetches()).isPositive();
        assertThat(cluster.server(1).fetches()).isPositive();
      }
    }
  }

  @Test
  void readsTheOtherReplicaIfThatOfItsZoneHasLostData() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster);
      use(cluster, "a");
      cluster.server(0).loseData();
      read(cluster, assignment);

      assertThat(cluster.server(1).fetches()).isPositive();
    }
  }
}
