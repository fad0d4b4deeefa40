package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reads from servers that move their data, before and after they have left. */
class LeavingServerReadTest {
  private final Random random = new Random(11);
  private final Leaving leaving = new Leaving();

  /** Something happens when server 1 is opened. */
  private static final class Leaving implements Faults {
    private Runnable onOpen = () -> {};

    @Override
    public Fate open(ServerId server, Open open) {
      if (server.getName().equals("server-1")) {
        onOpen.run();
      }
      return Fate.DONE;
    }
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
