package io.sluice.client.read;

import static io.sluice.client.read.TestReads.batches;
import static io.sluice.client.read.TestReads.drain;
import static io.sluice.client.read.TestReads.missing;
import static io.sluice.client.read.TestReads.push;
import static io.sluice.client.read.TestReads.pushMaps;
import static io.sluice.client.read.TestReads.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.ServerId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShuffleReadTest {
  private static final Faults NONE = new Faults() {};

  @Test
  void requestsThousandsOfSmallPartitionsAtOnce() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(4000, 2, 1);
      push(cluster, assignment, 0, 0, 40);
      push(cluster, assignment, 1, 1, 40);
      cluster.use(new ReadConfig(1 << 20, 4, 1 << 30, 20_000, FakeCluster.QUICK));

      try (ShuffleRead read = cluster.read(request(assignment, 0, 4000, 0, 1))) {
        assertThat(drain(read)).isEqualTo(8000);
        assertThat(read.counters().requests().opens()).isEqualTo(2);
        assertThat(read.counters().requests().fetches()).isEqualTo(2);
        assertThat(read.counters().records()).isEqualTo(16_000);
        assertThat(read.counters().uncompressedBytes()).isEqualTo(8000 * 40);
      }
    }
  }

  @Test
  void sendsNoRequestIfNothingIsExpected() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        ShuffleRead read = cluster.read(request(cluster.assign(10, 1, 1), 0, 10))) {
      assertThat(read.next()).isNull();
      assertThat(cluster.transport().connects()).isZero();
    }
  }

  @Test
  void skipsAttemptsThatAreNotExpected() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      pushMaps(cluster, assignment, 4, 100);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 3, 3, 1))) {
        assertThat(drain(read)).isEqualTo(6);
        assertThat(read.counters().skippedBlocks()).isPositive();
      }
    }
  }

  @Test
  void fetchesOnlyStretchesOfTheWantedMapTasks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 20, 1000);
      ShuffleReadRequest request =
          ShuffleReadRequest.builder(assignment)
              .expect(0, 5, 5)
              .expect(0, 6, 6)
              .mapRange(5, 7)
              .build();
      try (ShuffleRead read = cluster.read(request)) {
        assertThat(drain(read)).isEqualTo(2);
        assertThat(read.counters().bytes()).isLessThan(cluster.server(0).storedBytes(0) / 5);
      }
    }
  }

  @Test
  void reportsWhyDataIsAbsent() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read))
            .isEqualTo(
                new MissingBlocks(
                    1,
                    0,
                    0,
                    Reason.NEVER_WRITTEN,
                    List.of(new MissingBlocks.Answer("server-0", Reason.NEVER_WRITTEN)),
                    "the shuffle was never written to the server"));
      }
      push(cluster, assignment, 0, 0, 10);
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0, 8))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.INCOMPLETE);
      }
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0, 8))) {
        assertThat(missing(read).mapAttempt()).isEqualTo(8);
      }
      cluster.server(0).loseData();
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.LOST);
      }
      cluster.server(0).expire();
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.EXPIRED);
      }
    }
  }

  @Test
  void aCleanRestartDoesNotMakeBlocksLostThatWereNeverWritten() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      cluster.server(0).restartCleanly();

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0, 1))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.INCOMPLETE);
      }
      cluster.transport().dropConnections();
      ShuffleAssignment other = cluster.assign(30, 1, 1);
      try (ShuffleRead read = cluster.read(request(other, 29, 30, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.NEVER_WRITTEN);
      }
    }
  }

  @Test
  void reportsThatARestartedServerLostItsBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      cluster.server(0).restart();
      push(cluster, assignment, 1, 1, 100);

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0, 1))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.LOST);
        assertThat(missing.mapAttempt()).isZero();
        assertThat(missing.detail()).contains("lost data since the assignment");
      }
      assertThat(batches(cluster, request(assignment, 0, 2, 1))).isEqualTo(2);
    }
  }

  @Test
  void reportsAnUnreachableServer() throws Exception {
    boolean[] down = new boolean[1];
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            return down[0] ? Fate.LOST_BEFORE : Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      down[0] = true;
      cluster.transport().dropConnections();

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(missing.detail()).contains("4 attempts").contains("cannot connect");
      }
    }
  }

  @Test
  void readsTheRestFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment both = cluster.assign(6, 1, 2);
      ShuffleAssignment onlyFirst = cluster.assign(6, 1, 1);
      push(cluster, both, 0, 0, 5000);
      push(cluster, onlyFirst, 1, 1, 5000);

      // Tasks start at different replicas; both must work.
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(both, 0, 6, 0, 1))).isEqualTo(12);
      }
      cluster.server(0).restart();
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(both, 0, 6, 0))).isEqualTo(6);
        try (ShuffleRead read = cluster.read(request(both, 0, 6, 0, 1))) {
          assertThat(missing(read).servers()).containsExactlyInAnyOrder("server-0", "server-1");
        }
      }
    }
  }

  @Test
  void skipsBlocksOfALostDisk() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 4, 1000);
      cluster.server(0).lose(0, 1, 1);
      cluster.server(0).lose(0, 3, 3);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 2))) {
        assertThat(drain(read)).isEqualTo(2);
        assertThat(read.counters().requests().retries()).isZero();
      }
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 1, 2))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.mapAttempt()).isEqualTo(1);
        assertThat(missing.reason()).isEqualTo(Reason.LOST);
        assertThat(missing.detail()).contains("the server has lost blocks of the partition");
      }
    }
  }

  @Test
  void readsBlocksOfALostDiskFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      pushMaps(cluster, assignment, 4, 1000);
      cluster.server(0).lose(0, 1, 1);
      cluster.server(1).lose(0, 2, 2);
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, 0, 1, 0, 1, 2, 3))).isEqualTo(4);
      }
    }
  }
}
