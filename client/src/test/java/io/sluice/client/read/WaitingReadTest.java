package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reads of local output that the background push sends to servers. */
class WaitingReadTest {
  private final Random random = new Random(3);
  private final FakeLocalOutput local = new FakeLocalOutput(3);
  private final VirtualTime time = new VirtualTime();
  private final Opens opens = new Opens();

  /** Records Open requests; each takes 300 ms. */
  private final class Opens implements Faults {
    final List<Open> seen = new ArrayList<>();
    boolean isDown;
    boolean isSilent;
    int connects;

    @Override
    public synchronized Fate connect(ServerId server) {
      connects++;
      return isDown ? Fate.LOST_BEFORE : Fate.DONE;
    }

    @Override
    public synchronized Fate open(ServerId server, Open open) {
      seen.add(open);
      time.advance(300_000_000L);
      return Fate.DONE;
    }

    @Override
    public Fate fetch(ServerId server, Fetch fetch) {
      return isSilent ? Fate.SILENT : Fate.DONE;
    }
  }

  private static List<Long> wanted(Open open) throws IOException {
    if (open.getWantedAttempts().isEmpty()) {
      return List.of();
    }
    List<Long> attempts = new ArrayList<>();
    AttemptSets.decode(open.getWantedAttempts()).forEach(attempts::add);
    return attempts;
  }

  private PooledShuffleRead read(FakeCluster cluster, ShuffleReadRequest.Builder request) {
    return new PooledShuffleRead(
        request.build(),
        null,
        new ReadConfig(64 << 10, 3, 1 << 30, 20_000, FakeCluster.QUICK),
        DirectRunFiles.none(),
        new TaskEnvironment(
            cluster.pool(), cluster.health(), new DirectMemory(Long.MAX_VALUE), time),
        UnpooledByteBufAllocator.DEFAULT,
        (counters, failure) -> {});
  }

  private static int drain(PooledShuffleRead read) throws Exception {
    int batches = 0;
    while (read.next() != null) {
      batches++;
    }
    return batches;
  }

  @Test
  void waitsOnceForAttemptsOfAllPartitionsOfAnOpen() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, opens)) {
      ShuffleAssignment assignment = cluster.assign(5000, 1, 1);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment).localOutput(local).waitFor(500, 950);
      for (int partition = 0; partition < 5000; partition++) {
        request.expect(partition, 1, 1).expect(partition, (1L << 40) + 2, 2);
        local.addAll(TestBlocks.of(partition, 1, random, 10, 1));
        local.addAll(TestBlocks.of(partition, (1L << 40) + 2, random, 10, 1));
      }
      request.expect(7, 9, 9);
      local.addAll(TestBlocks.of(7, 9, random, 10, 1));

      try (PooledShuffleRead read = read(cluster, request)) {
        assertThat(drain(read)).isEqualTo(10_001);
      }
      assertThat(opens.seen).hasSize(2);
      assertThat(opens.seen).extracting(Open::getPartitionsCount).containsExactly(4096, 904);
      assertThat(opens.seen).extracting(Open::getMaxWaitMs).containsExactly(500, 200);
      assertThat(opens.seen).extracting(Open::getWantedPermille).containsOnly(950);
      assertThat(wanted(opens.seen.get(0))).containsExactly(1L, (1L << 40) + 2);
    }
  }

  /**
   * Attempt ids with the task in the upper half, like those of MapReduce, need many bytes in a set.
   */
  @Test
  void doesNotWaitForMoreAttemptsThanAnOpenCanContain() throws Exception {
    for (int tasks : new int[] {40_000, 50_000}) {
      opens.seen.clear();
      try (FakeCluster cluster = FakeCluster.inline(1, opens)) {
        ShuffleReadRequest.Builder request =
            ShuffleReadRequest.builder(cluster.assign(1, 1, 1))
                .localOutput(local)
                .waitFor(500, 950);
        for (int task = 0; task < tasks; task++) {
          request.expect(0, (long) task << 32, task);
        }
        try (PooledShuffleRead read = read(cluster, request)) {
          assertThatThrownBy(read::next).isInstanceOf(BlocksMissingException.class);
        }
      }
      Open first = opens.seen.get(0);
      assertThat(first.getSerializedSize()).isLessThan(FrameType.OPEN.maxHeadLength());
      assertThat(wanted(first)).hasSize(tasks == 40_000 ? tasks : 0);
      assertThat(first.getMaxWaitMs()).isEqualTo(tasks == 40_000 ? 500 : 0);
    }
  }

  /**
   * A task may process records slowly: fetched slices wait in its process, and servers may close
   * connections.
   */
  @Test
  void aTaskThatPausesForAnHourBetweenRecordsLosesNothing() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, opens)) {
      ShuffleAssignment assignment = cluster.assign(2, 2, 2);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment).localOutput(local).waitFor(500, 1000);
      int batches = 0;
      for (int partition = 0; partition < 2; partition++) {
        for (long attempt = 0; attempt < 3; attempt++) {
          TestBlocks blocks = TestBlocks.of(partition, attempt, random, 30_000, 1, 1, 1, 1);
          for (int server = 0; server < 2; server++) {
            blocks.push(cluster.pool(), assignment, cluster.server(server), 0, 4);
          }
          request.expect(partition, attempt, (int) attempt);
          batches += 4;
        }
      }
      try (PooledShuffleRead read = read(cluster, request)) {
        int records = 0;
        while (read.next() != null) {
          records++;
          time.advance(TimeUnit.HOURS.toNanos(1));
          if (records % 5 == 0) {
            cluster.transport().dropConnections();
          }
        }
        assertThat(records).isEqualTo(batches);
        ReadCounters counters = read.counters();
        assertThat(counters.requests().retries()).isZero();
        assertThat(counters.local().blocks()).as("no block came from local output").isZero();
        assertThat(counters.requests().fetches())
            .as("more slices than are in flight at a time")
            .isGreaterThan(3);
      }
      for (int server = 0; server < 2; server++) {
        assertThat(cluster.health().isFailing(cluster.server(server).id())).isFalse();
      }
    }
  }

  @Test
  void doesNotWaitForBlocksThatAreNeverPushed() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, opens)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment)
              .localOutput(local)
              .waitFor(500, 950)
              .neverPushed(1, 8);
      for (int partition = 0; partition < 2; partition++) {
        for (long attempt = 7; attempt < 10; attempt++) {
          request.expect(partition, attempt, (int) attempt);
          local.addAll(TestBlocks.of(partition, attempt, random, 10, 1));
        }
      }

      try (PooledShuffleRead read = read(cluster, request)) {
        assertThat(drain(read)).isEqualTo(6);
      }
      assertThat(opens.seen).hasSize(1);
      assertThat(wanted(opens.seen.get(0))).containsExactly(7L, 9L);
    }
  }

  @Test
  void doesNotWaitIfNoServerGetsAllBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, opens)) {
      ShuffleAssignment assignment =
          cluster.assign(2, 1, 1).replaceFull("server-0", new int[] {1}, cluster.server(1).id());
      TestBlocks first = TestBlocks.of(0, 1, random, 10, 1);
      TestBlocks second = TestBlocks.of(1, 1, random, 10, 1, 1);
      local.addAll(first);
      local.addAll(second);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment)
              .localOutput(local)
              .waitFor(10_000, 1000)
              .expect(0, 1, 1)
              .expect(1, 1, 1);
      try (PooledShuffleRead read = read(cluster, request)) {
        assertThat(drain(read)).isEqualTo(3);
      }
      for (Open open : opens.seen) {
        assertThat(open.getPartitionsCount()).isEqualTo(1);
        assertThat(wanted(open)).isEqualTo(open.getPartitions(0) == 0 ? List.of(1L) : List.of());
        assertThat(open.getMaxWaitMs() > 0).isEqualTo(open.getPartitions(0) == 0);
      }
      assertThat(opens.seen).hasSize(3);
    }
  }

  @Test
  void triesAnUnreachableServerOnceAndReadsLocalOutput() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, opens)) {
      opens.isDown = true;
      ShuffleAssignment assignment = cluster.assign(2, 2, 1);
      TestBlocks first = TestBlocks.of(0, 1, random, 10, 1);
      TestBlocks second = TestBlocks.of(1, 1, random, 10, 1, 1);
      local.addAll(first);
      local.addAll(second);
      for (int waitMs : List.of(10_000, 0)) {
        opens.connects = 0;
        ShuffleReadRequest.Builder request =
            ShuffleReadRequest.builder(assignment)
                .localOutput(local)
                .waitFor(waitMs, 1000)
                .expect(0, 1, 1)
                .expect(1, 1, 1);
        try (PooledShuffleRead read = read(cluster, request)) {
          assertThat(drain(read)).isEqualTo(3);
        }
        assertThat(opens.connects).as("wait of %d ms", waitMs).isEqualTo(2);
      }
    }
  }

  @Test
  void switchesFromAStalledServerToLocalOutput() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, opens)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      TestBlocks blocks = TestBlocks.of(0, 1, random, 10, 1, 1, 3);
      blocks.push(cluster.pool(), assignment, cluster.server(0), 0, 5);
      local.addAll(blocks);
      opens.isSilent = true;
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment)
              .localOutput(local)
              .waitFor(50, 1000)
              .expect(0, 1, 1);
      try (PooledShuffleRead read = read(cluster, request)) {
        assertThat(drain(read)).isEqualTo(3);
        assertThat(read.counters().local().blocks()).isEqualTo(5);
      }
    }
  }
}
