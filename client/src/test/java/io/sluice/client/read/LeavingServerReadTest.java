package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Reads from servers that move their data, before and after they have left, or are lost. */
class LeavingServerReadTest {
  private final Random random = new Random(11);
  private final Leaving leaving = new Leaving();

  /** One server refuses a number of connections; something happens when server 1 is opened. */
  private static final class Leaving implements Faults {
    private String refusing = "";
    private int refusals;
    private int tries;
    private Runnable onRefusal = () -> {};
    private Runnable onOpen = () -> {};

    void refuse(FakeCluster cluster, int server, int times) {
      refusing = "server-" + server;
      refusals = times;
      tries = 0;
      cluster.transport().dropConnections();
    }

    @Override
    public Fate connect(ServerId server) {
      if (!server.getName().equals(refusing) || ++tries > refusals) {
        return Fate.DONE;
      }
      onRefusal.run();
      return Fate.LOST_BEFORE;
    }

    @Override
    public Fate open(ServerId server, Open open) {
      if (server.getName().equals("server-1")) {
        onOpen.run();
      }
      return Fate.DONE;
    }
  }

  private static ShuffleAssignment moved(FakeCluster cluster) {
    return cluster.assign(1, 1, 1).moved("server-0", cluster.server(1).id());
  }

  private TestBlocks blocks(long attempt) {
    return TestBlocks.of(0, attempt, random, 100, 1, 1);
  }

  private static void pushAll(
      FakeCluster cluster, ShuffleAssignment assignment, int server, TestBlocks blocks) {
    blocks.push(cluster.pool(), assignment, cluster.server(server), 0, 2);
  }

  private static ShuffleReadRequest.Builder request(
      ShuffleAssignment assignment, TestBlocks... expected) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (TestBlocks blocks : expected) {
      request.expect(blocks.partition(), blocks.attempt(), (int) blocks.attempt());
    }
    return request;
  }

  private static int batches(FakeCluster cluster, ShuffleReadRequest.Builder request)
      throws Exception {
    try (PooledShuffleRead read = cluster.read(request.build())) {
      int batches = 0;
      while (read.next() != null) {
        batches++;
      }
      return batches;
    }
  }

  private static MissingBlocks missing(FakeCluster cluster, ShuffleReadRequest.Builder request) {
    BlocksMissingException thrown =
        catchThrowableOfType(BlocksMissingException.class, () -> batches(cluster, request));
    assertThat(thrown).as("missing blocks").isNotNull();
    return thrown.missing().get(0);
  }

  @Test
  void waitsForALeavingServerThatRestartsDuringTheMove() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment assignment = moved(cluster);
      TestBlocks copied = blocks(1);
      TestBlocks notCopied = blocks(2);
      pushAll(cluster, assignment, 0, copied);
      pushAll(cluster, assignment, 0, notCopied);
      pushAll(cluster, assignment, 1, copied);
      leaving.refuse(cluster, 0, 3);

      assertThat(batches(cluster, request(assignment, copied, notCopied))).isEqualTo(4);
      assertThat(leaving.tries).isEqualTo(4);
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isFalse();
    }
  }

  @Test
  void triesAServerThatHasLeftOnceInAllReads() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment assignment = moved(cluster);
      TestBlocks copied = blocks(1);
      pushAll(cluster, assignment, 1, copied);
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      assertThat(batches(cluster, request(assignment, copied))).isEqualTo(2);
      assertThat(leaving.tries).isEqualTo(1);
      assertThat(batches(cluster, request(assignment, copied))).isEqualTo(2);
      assertThat(leaving.tries).isEqualTo(1);
    }
  }

  @Test
  void oneReadWaitsForALeavingServerThatDoesNotReturn() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment assignment = moved(cluster);
      TestBlocks copied = blocks(1);
      TestBlocks lost = blocks(2);
      pushAll(cluster, assignment, 1, copied);
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      MissingBlocks missing = missing(cluster, request(assignment, copied, lost));
      assertThat(missing.mapAttempt()).isEqualTo(2);
      assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
      assertThat(missing.answers())
          .containsExactlyInAnyOrder(
              new MissingBlocks.Answer("server-0", Reason.UNREACHABLE),
              new MissingBlocks.Answer("server-1", Reason.INCOMPLETE));
      assertThat(leaving.tries).isEqualTo(1 + FakeCluster.QUICK.maxAttempts());

      leaving.refuse(cluster, 0, Integer.MAX_VALUE);
      assertThat(missing(cluster, request(assignment, copied, lost)).mapAttempt()).isEqualTo(2);
      assertThat(leaving.tries).isEqualTo(1);
    }
  }

  @Test
  void triesALostServerOnceAlthoughTheAdopterLacksData() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment assignment =
          cluster.assign(1, 1, 1).adopted("server-0", cluster.server(1).id());
      TestBlocks uploaded = blocks(1);
      TestBlocks lost = blocks(2);
      pushAll(cluster, assignment, 1, uploaded);
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      MissingBlocks missing = missing(cluster, request(assignment, uploaded, lost));

      assertThat(missing.mapAttempt()).isEqualTo(2);
      assertThat(missing.answers())
          .containsExactlyInAnyOrder(
              new MissingBlocks.Answer("server-0", Reason.UNREACHABLE),
              new MissingBlocks.Answer("server-1", Reason.INCOMPLETE));
      assertThat(leaving.tries).isEqualTo(1);
    }
  }

  @Test
  void leavesALostServerAsSoonAsTheDriverReportsTheAdopter() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment before = cluster.assign(1, 1, 1, 1);
      ShuffleAssignment after = before.adopted("server-0", cluster.server(1).id());
      TestBlocks uploaded = blocks(1);
      TestBlocks lost = blocks(2);
      pushAll(cluster, after, 1, uploaded);
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      ShuffleReadRequest.Builder request =
          request(before, uploaded, lost).newest(known -> CompletableFuture.completedFuture(after));

      assertThat(missing(cluster, request).mapAttempt()).isEqualTo(2);
      assertThat(leaving.tries).isEqualTo(2);
    }
  }

  @Test
  void leavesAServerThatMovesAsSoonAsTheDriverReportsTheTarget() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment before = cluster.assign(1, 1, 1, 1);
      ShuffleAssignment after = before.moved("server-0", cluster.server(1).id());
      TestBlocks copied = blocks(1);
      pushAll(cluster, after, 1, copied);
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      ShuffleReadRequest.Builder request =
          request(before, copied).newest(known -> CompletableFuture.completedFuture(after));
      assertThat(batches(cluster, request)).isEqualTo(2);
      assertThat(leaving.tries).isEqualTo(2);
    }
  }

  @Test
  void returnsToTheTargetThatWasVisitedBeforeTheLeavingServer() throws Exception {
    assertReturnsToTheTarget(
        (assigned, other) -> assigned.replaceFull("server-0", new int[] {0}, other));
  }

  @Test
  void returnsToTheTargetThatTheLeavingServerHadReplaced() throws Exception {
    assertReturnsToTheTarget((assigned, other) -> assigned.replaceFailed("server-0", other));
  }

  /**
   * Checks that a reader gets blocks that server-1 moved to server-0 after the reader's visit
   * there.
   *
   * @param change makes server-1 the newer server of the partition
   */
  private void assertReturnsToTheTarget(
      BiFunction<ShuffleAssignment, ServerId, ShuffleAssignment> change) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment before = change.apply(cluster.assign(1, 1, 1), cluster.server(1).id());
      ShuffleAssignment after = before.moved("server-1", cluster.server(0).id());
      TestBlocks there = blocks(1);
      TestBlocks moved = blocks(2);
      pushAll(cluster, before, 0, there);
      leaving.refuse(cluster, 1, Integer.MAX_VALUE);
      leaving.onRefusal = () -> pushAll(cluster, after, 0, moved);

      ShuffleReadRequest.Builder request =
          request(before, there, moved).newest(known -> CompletableFuture.completedFuture(after));
      assertThat(batches(cluster, request)).isEqualTo(4);
      assertThat(leaving.tries).isEqualTo(2);
    }
  }

  @Test
  void aReturnedServerThatMovedItsDataDoesNotMakeAnUnreachableTargetLookLikeLostData()
      throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, leaving)) {
      ShuffleAssignment before = cluster.assign(1, 1, 1);
      ShuffleAssignment after = before.moved("server-0", cluster.server(1).id());
      TestBlocks copied = blocks(1);
      pushAll(cluster, before, 0, copied);
      pushAll(cluster, after, 1, copied);
      cluster.server(0).loseData();
      for (ShuffleAssignment known : new ShuffleAssignment[] {before, after}) {
        ShuffleReadRequest.Builder request =
            request(known, copied).newest(older -> CompletableFuture.completedFuture(after));
        leaving.refuse(cluster, 1, 3);
        assertThat(batches(cluster, request)).isEqualTo(2);
        leaving.refuse(cluster, 1, Integer.MAX_VALUE);
        MissingBlocks missing = missing(cluster, request);
        assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(missing.answers())
            .containsExactlyInAnyOrder(
                new MissingBlocks.Answer("server-0", Reason.LOST),
                new MissingBlocks.Answer("server-1", Reason.UNREACHABLE));
        cluster.health().markHealthy(cluster.server(1).id());
      }
    }
  }

  @Test
  void aServerThatTurnsOutToHaveMovedItsDataDoesNotHideAnUnreachableOne() throws Exception {
    assertUnreachable(
        (assigned, other) -> assigned, (assigned, other) -> assigned.moved("server-1", other));
  }

  @Test
  void aServerThatMovedItsDataAfterItWasGivenUpDoesNotHideAnUnreachableOne() throws Exception {
    assertUnreachable(
        (assigned, other) -> assigned.replaceFailed("server-1", other),
        (assigned, other) -> assigned.moved("server-1", assigned.servers().get(0)));
  }

  /**
   * Checks the reason of missing blocks if server-0 does not answer, and server-1, which replaced
   * it, has returned without data.
   *
   * @param before change with server-2 before the read
   * @param during change with server-2 during the read
   */
  private void assertUnreachable(
      BiFunction<ShuffleAssignment, ServerId, ShuffleAssignment> before,
      BiFunction<ShuffleAssignment, ServerId, ShuffleAssignment> during)
      throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, leaving)) {
      ServerId other = cluster.server(2).id();
      ShuffleAssignment first =
          before.apply(
              cluster.assign(1, 1, 1).replaceFailed("server-0", cluster.server(1).id()), other);
      ShuffleAssignment after = during.apply(first, other);
      TestBlocks there = blocks(1);
      TestBlocks moved = blocks(2);
      pushAll(cluster, first, 0, there);
      pushAll(cluster, first, 1, moved);
      pushAll(cluster, after, 2, moved);
      cluster.server(1).loseData();
      leaving.refuse(cluster, 0, Integer.MAX_VALUE);

      MissingBlocks missing =
          missing(
              cluster,
              request(first, there, moved)
                  .newest(known -> CompletableFuture.completedFuture(after)));
      assertThat(missing.mapAttempt()).isEqualTo(1);
      assertThat(missing.answers())
          .containsExactlyInAnyOrder(
              new MissingBlocks.Answer("server-0", Reason.UNREACHABLE),
              new MissingBlocks.Answer("server-1", Reason.LOST),
              new MissingBlocks.Answer("server-2", Reason.INCOMPLETE));
      assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
    }
  }

  @Test
  void asksTheDriverBeforeAServerThatIsVisitedAgainIsTheLast() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, leaving)) {
      ShuffleAssignment before =
          cluster.assign(1, 1, 1, 1).moved("server-0", cluster.server(1).id());
      ShuffleAssignment after = before.moved("server-1", cluster.server(2).id());
      TestBlocks there = blocks(1);
      TestBlocks moved = blocks(2);
      pushAll(cluster, before, 0, there);
      pushAll(cluster, before, 1, moved);
      leaving.onOpen =
          () -> {
            pushAll(cluster, after, 2, moved);
            cluster.server(1).loseData();
          };

      ShuffleReadRequest.Builder request =
          request(before, there, moved).newest(known -> CompletableFuture.completedFuture(after));
      assertThat(batches(cluster, request)).isEqualTo(4);
    }
  }
}
