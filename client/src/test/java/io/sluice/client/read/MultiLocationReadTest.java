package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.LocalOutput.Piece;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Reads of partitions whose blocks are on several servers and in local output; one test per rule.
 */
class MultiLocationReadTest {
  private final Random random = new Random(11);
  private final FakeLocalOutput local = new FakeLocalOutput(11);
  private final Refusals refusals = new Refusals();

  /**
   * Servers that refuse connections, permanently or a number of times, or change when they are
   * opened.
   */
  private static class Refusals implements Faults {
    final Map<String, Integer> left = new HashMap<>();
    final Map<String, Integer> tries = new HashMap<>();
    final Map<String, Runnable> changes = new HashMap<>();

    void refuse(FakeCluster cluster, String server, int times) {
      left.put(server, times);
      tries.clear();
      cluster.transport().dropConnections();
    }

    void whenOpened(String server, Runnable change) {
      changes.put(server, change);
    }

    int tries(String server) {
      return tries.getOrDefault(server, 0);
    }

    @Override
    public synchronized Fate connect(ServerId server) {
      tries.merge(server.getName(), 1, Integer::sum);
      return left.merge(server.getName(), -1, Integer::sum) >= 0 ? Fate.LOST_BEFORE : Fate.DONE;
    }

    @Override
    public Fate open(ServerId server, Open open) {
      changes.getOrDefault(server.getName(), () -> {}).run();
      return Fate.DONE;
    }
  }

  private static ShuffleAssignment chain(FakeCluster cluster) {
    return cluster.assign(1, 1, 1).replaceFull("server-0", new int[] {0}, cluster.server(1).id());
  }

  private ShuffleReadRequest.Builder request(ShuffleAssignment assignment, TestBlocks... expected) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment).localOutput(local);
    for (TestBlocks blocks : expected) {
      request.expect(blocks.partition(), blocks.attempt(), (int) blocks.attempt());
    }
    return request;
  }

  private static int batches(FakeCluster cluster, ShuffleReadRequest.Builder request)
      throws Exception {
    try (PooledShuffleRead read = cluster.read(request.build())) {
      return drain(read);
    }
  }

  private static int drain(PooledShuffleRead read) throws Exception {
    int batches = 0;
    while (read.next() != null) {
      batches++;
    }
    return batches;
  }

  private static MissingBlocks missing(PooledShuffleRead read) {
    BlocksMissingException thrown =
        catchThrowableOfType(BlocksMissingException.class, () -> drain(read));
    assertThat(thrown).as("missing blocks").isNotNull();
    return thrown.missing().get(0);
  }

  @Test
  void deliversBlocksBehindMissingOnesBeforeTheNextServer() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks =
          TestBlocks.of(0, 5, random, 500, IntStream.generate(() -> 1).limit(200).toArray());
      blocks.push(cluster.pool(), assignment, cluster.server(0), 1, 200);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 0);

      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).anyOrder().build())) {
        Set<Integer> before = new HashSet<>();
        for (int i = 0; i < 199; i++) {
          before.add(read.next().content().hashCode());
        }
        assertThat(before).hasSize(199);
        assertThat(cluster.server(1).fetches()).isZero();
        assertThat(read.next().content().array()).startsWith(blocks.batches().get(0));
        assertThat(read.next()).isNull();
      }
    }
  }

  @Test
  void namesAnAttemptThatNoServerOfAChainHasAtTheLastOpen() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks there = TestBlocks.of(0, 1, random, 100, 1, 1);
      TestBlocks nowhere = TestBlocks.of(0, 2, random, 100, 1);
      there.push(cluster.pool(), assignment, cluster.server(0), 0);
      there.push(cluster.pool(), assignment, cluster.server(1), 1);

      try (PooledShuffleRead read = cluster.read(request(assignment, there, nowhere).build())) {
        MissingBlocks missing = missing(read);
        assertThat(missing.mapAttempt()).isEqualTo(2);
        assertThat(missing.servers()).containsExactly("server-0", "server-1");
        assertThat(cluster.server(1).fetches()).isZero();
      }
    }
  }

  @Test
  void triesAServerThatMapTasksGaveUpOnce() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment =
          cluster.assign(1, 1, 1).replaceFailed("server-0", cluster.server(1).id());
      TestBlocks old = TestBlocks.of(0, 1, random, 100, 1);
      TestBlocks young = TestBlocks.of(0, 2, random, 100, 1, 1);
      old.push(cluster.pool(), assignment, cluster.server(0), 0);
      young.push(cluster.pool(), assignment, cluster.server(1), 0, 2);
      refusals.refuse(cluster, "server-0", Integer.MAX_VALUE);

      try (PooledShuffleRead read = cluster.read(request(assignment, young).build())) {
        assertThat(drain(read)).isEqualTo(2);
        assertThat(refusals.tries("server-0")).isEqualTo(1);
      }
      try (PooledShuffleRead read = cluster.read(request(assignment, old, young).build())) {
        MissingBlocks missing = missing(read);
        assertThat(missing.mapAttempt()).isEqualTo(1);
        assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(missing.answers())
            .containsExactlyInAnyOrder(
                new MissingBlocks.Answer("server-0", Reason.UNREACHABLE),
                new MissingBlocks.Answer("server-1", Reason.INCOMPLETE));
        assertThat(refusals.tries("server-0")).isEqualTo(2);
      }
    }
  }

  @Test
  void waitsForOneServerOnlyIfLocalOutputMayHaveTheRest() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 2, 1);
      refusals.refuse(cluster, "server-0", Integer.MAX_VALUE);
      refusals.refuse(cluster, "server-1", Integer.MAX_VALUE);
      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).build())) {
        assertThat(missing(read).reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(refusals.tries("server-0")).isEqualTo(4);
        assertThat(refusals.tries("server-1"))
            .as("full retry period, as no other server is left")
            .isEqualTo(4);
      }
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isTrue();
    }
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 2, 1);
      local.addAll(blocks);
      refusals.tries.clear();
      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).build())) {
        assertThat(drain(read)).isEqualTo(3);
        assertThat(refusals.tries("server-0")).isEqualTo(4);
        assertThat(refusals.tries("server-1")).isEqualTo(1);
        assertThat(read.counters().local().blocks()).isEqualTo(4);
        assertThat(read.counters().local().bytes()).isEqualTo(4 * (100 + BlockHeader.LENGTH));
        assertThat(read.counters().bytes()).isZero();
      }
    }
  }

  @Test
  void skipsAServerThatOtherTasksGaveUp() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 0, 2);
      refusals.refuse(cluster, "server-0", Integer.MAX_VALUE);
      cluster.health().markFailing(cluster.server(0).id());

      // Tasks start at different replicas.
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(2);
      }
      assertThat(refusals.tries("server-0")).isZero();
    }
  }

  @Test
  void switchesToAReplicaAtOnceWhenAServerCrashes() throws Exception {
    FakeCluster[] made = new FakeCluster[1];
    Refusals dying =
        new Refusals() {
          @Override
          public synchronized Fate fetch(ServerId server, Fetch fetch) {
            if (server.getName().equals("server-0") && fetch.getRanges(0).getOffset() > 1000) {
              refuse(made[0], "server-0", Integer.MAX_VALUE);
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, dying)) {
      made[0] = cluster;
      cluster.use(new ReadConfig(1024, 1, 1 << 30, 20_000, FakeCluster.QUICK));
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 400, 1, 1, 1, 1, 1, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 8);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 0, 8);

      // Tasks start at different replicas.
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(8);
      }
      assertThat(dying.tries("server-0")).isEqualTo(1);
    }
  }

  @Test
  void visitsASkippedServerBeforeItReportsMissingBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 1);
      refusals.refuse(cluster, "server-0", 0);
      cluster.health().markFailing(cluster.server(0).id());

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(2);
      assertThat(refusals.tries("server-0")).isEqualTo(1);
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isFalse();
    }
  }

  @Test
  void visitsEverySkippedServerBeforeItReportsMissingBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, refusals)) {
      ShuffleAssignment assignment =
          chain(cluster).replaceFull("server-1", new int[] {0}, cluster.server(2).id());
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      for (int server = 0; server < 3; server++) {
        blocks.push(cluster.pool(), assignment, cluster.server(server), server, server + 1);
        cluster.health().markFailing(cluster.server(server).id());
      }

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void returnsToAServerWhoseReplicaIsIncomplete() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 3);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 0);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 2);

      // Tasks start at different replicas.
      for (int task = 0; task < 2; task++) {
        refusals.refuse(cluster, "server-0", 2);
        assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
      }
    }
  }

  @Test
  void returnsToTheServerToWhichALeavingOneHasMovedItsData() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 1, 3);
      refusals.whenOpened(
          "server-1",
          () -> {
            blocks.push(cluster.pool(), assignment, cluster.server(0), 1, 3);
            cluster.server(1).loseData();
          });

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void returnsToTheServerToWhichALeavingOneHasMovedItsDataWhileItWasUnreachable() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment =
          cluster.assign(1, 1, 1).moved("server-0", cluster.server(1).id());
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 2);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 2);
      refusals.whenOpened(
          "server-0",
          () -> {
            blocks.push(cluster.pool(), assignment, cluster.server(1), 0, 2);
            cluster.server(0).loseData();
          });
      refusals.refuse(cluster, "server-0", 1);

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void returnsToTheServerToWhichAGivenUpOneHasMovedItsData() throws Exception {
    Runnable[] leave = new Runnable[1];
    Faults leaving =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            if (!server.getName().equals("server-1") || leave[0] == null) {
              return Fate.DONE;
            }
            leave[0].run();
            return Fate.LOST_BEFORE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(3, leaving)) {
      ShuffleAssignment assignment =
          chain(cluster).replaceFailed("server-1", cluster.server(2).id());
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 1, 3);
      cluster.transport().dropConnections();
      leave[0] = () -> blocks.push(cluster.pool(), assignment, cluster.server(0), 1, 3);

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void doesNotReturnToAServerThatDidNotAnswerAfterAGivenUpOne() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, refusals)) {
      ShuffleAssignment assignment =
          cluster
              .assign(2, 1, 1)
              .replaceFailed("server-0", cluster.server(1).id())
              .replaceFailed("server-1", cluster.server(2).id());
      TestBlocks[] blocks = new TestBlocks[2];
      for (int partition = 0; partition < 2; partition++) {
        blocks[partition] = TestBlocks.of(partition, 1, random, 100, 1, 1);
        blocks[partition].push(cluster.pool(), assignment, cluster.server(2), 1);
      }
      cluster.transport().dropConnections();
      refusals.refuse(cluster, "server-0", Integer.MAX_VALUE);
      refusals.refuse(cluster, "server-1", Integer.MAX_VALUE);

      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).build())) {
        BlocksMissingException thrown =
            catchThrowableOfType(BlocksMissingException.class, () -> drain(read));
        assertThat(thrown.missing())
            .extracting(MissingBlocks::partition)
            .as("named together, at the last Open")
            .containsExactly(0, 1);
      }
      assertThat(refusals.tries("server-0")).isEqualTo(1);
    }
  }

  @Test
  void returnsToTheServerToWhichASkippedOneHasMovedItsData() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, refusals)) {
      ShuffleAssignment assignment =
          chain(cluster).replaceFailed("server-1", cluster.server(2).id());
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 1, 3);
      refusals.refuse(cluster, "server-1", Integer.MAX_VALUE);
      refusals.whenOpened(
          "server-2", () -> blocks.push(cluster.pool(), assignment, cluster.server(0), 1, 3));
      cluster.health().markFailing(cluster.server(1).id());

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void readsADamagedBlockFromTheNextServerOfAChain() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = chain(cluster);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 3);
      blocks.push(cluster.pool(), assignment, cluster.server(1), 1);
      cluster.server(0).damage(0, 100 + 2 * BlockHeader.LENGTH + 10);

      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void readsADamagedBlockFromLocalOutput() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 3);
      local.add(blocks, 1);
      cluster.server(0).damage(0, 100 + 2 * BlockHeader.LENGTH + 10);

      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).build())) {
        assertThat(drain(read)).isEqualTo(3);
        assertThat(read.counters().local().blocks()).isEqualTo(1);
      }
      assertThat(local.isClosed()).isTrue();
    }
  }

  @Test
  void requestsLocalOutputOnceForManyPartitions() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusals)) {
      ShuffleAssignment assignment = cluster.assign(50, 2, 1);
      ShuffleReadRequest.Builder request = request(assignment);
      for (int partition = 0; partition < 50; partition++) {
        TestBlocks blocks = TestBlocks.of(partition, 3, random, 100, 1, 2);
        blocks.push(cluster.pool(), assignment, cluster.server(partition / 25), 1);
        local.add(blocks, 0);
        local.add(blocks, 2);
        request.expect(partition, 3, 3);
      }
      assertThat(batches(cluster, request)).isEqualTo(100);
      assertThat(local.requests()).hasSizeBetween(1, 2);
    }
  }

  @Test
  void namesADamagedLocalBlockAndContinuesBehindIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1, 1, 1);
      byte[] damaged = blocks.block(1);
      damaged[60] ^= 1;
      local.add(blocks, 0);
      local.add(0, 1, damaged);
      local.add(blocks, 2);

      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).anyOrder().build())) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(missing.detail())
            .contains("the shuffle was never written to the server")
            .contains("local output: damaged at byte " + (100 + BlockHeader.LENGTH))
            .contains("crc expected=");
        assertThat(read.counters().local().blocks()).isEqualTo(2);
        assertThat(read.counters().local().failures()).isEqualTo(1);
      }
      // Another location may have this block.
      blocks.push(cluster.pool(), assignment, cluster.server(0), 1);
      assertThat(batches(cluster, request(assignment, blocks))).isEqualTo(3);
    }
  }

  @Test
  void rejectsLocalBlocksOfAnotherPartitionOrAttemptAndInvalidLengths() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 100, 1);
      local.add(0, 1, TestBlocks.of(1, 1, random, 100, 1).block(0));
      try (PooledShuffleRead read = cluster.read(request(assignment, blocks).build())) {
        assertThat(missing(read).detail()).contains("the block belongs to attempt=1 partition=1");
      }
      TestBlocks swapped = TestBlocks.of(0, 4, random, 100, 1);
      local.add(0, 4, TestBlocks.of(0, 5, random, 100, 1).block(0));
      try (PooledShuffleRead read = cluster.read(request(assignment, swapped).build())) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(missing.detail()).contains("the block belongs to attempt=5 partition=0");
      }
      TestBlocks long2 = TestBlocks.of(0, 2, random, 100, 1);
      byte[] unbelievable = long2.block(0);
      unbelievable[39] = 1;
      local.add(0, 2, unbelievable);
      try (PooledShuffleRead read = cluster.read(request(assignment, long2).build())) {
        assertThat(missing(read).detail()).contains("invalid block length");
      }
      TestBlocks cut = TestBlocks.of(0, 3, random, 100, 1);
      local.add(0, 3, java.util.Arrays.copyOf(cut.block(0), 20));
      try (PooledShuffleRead read = cluster.read(request(assignment, cut).build())) {
        assertThat(missing(read).detail()).contains("data ends inside a block");
      }
    }
  }

  @Test
  void reportsWhyLocalOutputIsNotAvailable() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      TestBlocks lost = TestBlocks.of(0, 1, random, 100, 1);
      TestBlocks empty = TestBlocks.of(1, 2, random, 100, 1);
      local.fail(0, 1, "executor 4 is gone");
      local.has(2);
      try (PooledShuffleRead read = cluster.read(request(assignment, lost).build())) {
        assertThat(missing(read).detail()).endsWith("local output: executor 4 is gone");
        assertThat(read.counters().local().failures()).isEqualTo(1);
      }
      try (PooledShuffleRead read = cluster.read(request(assignment, empty).build())) {
        assertThat(missing(read).detail())
            .endsWith("local output: it does not have all blocks that the servers lack");
        assertThat(read.counters().local().failures()).isZero();
      }
      local.breakDown();
      try (PooledShuffleRead read = cluster.read(request(assignment, lost, empty).build())) {
        BlocksMissingException thrown =
            catchThrowableOfType(BlocksMissingException.class, () -> drain(read));
        assertThat(thrown.missing()).hasSize(2);
        assertThat(thrown).hasMessageContaining("local output: no answer");
      }
      assertThat(local.requests().get(local.requests().size() - 1))
          .containsExactlyInAnyOrder(new Piece(0, 1, 1), new Piece(1, 2, 2));
      assertThat(List.of(local.isClosed())).containsExactly(true);
    }
  }
}
