package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.server.ServerTimes.ServerTime;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The server and the cause that the waits of a read count for. */
class ReadWaitsTest {
  private static final long FAST_NANOS = 1_000;
  private static final long SLOW_NANOS = 1_000_000;
  private static final String SLOW = "server-1";
  private static final int PARTITIONS = 30;

  private static Map<String, ServerTime> read(FakeCluster cluster) throws Exception {
    ShuffleAssignment assignment = cluster.assign(PARTITIONS, 3, 1);
    try (FramedPushSession session = cluster.push(assignment, 1, 0)) {
      byte[] noise = new byte[20_000];
      new Random(1).nextBytes(noise);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        session.add(partition, noise, 0, noise.length, 1);
      }
      session.finish();
    }
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      request.expect(partition, 1, 0);
    }
    try (ShuffleRead read = cluster.read(request.build())) {
      while (read.next() != null) {}
      ReadCounters counters = read.counters();
      Map<String, ServerTime> servers = counters.servers().byServer();
      assertThat(servers.values().stream().mapToLong(ServerTime::bytes).sum())
          .isEqualTo(counters.bytes());
      assertThat(waits(servers)).isEqualTo(counters.waitNanos()).isPositive();
      return servers;
    }
  }

  private static long waits(Map<String, ServerTime> servers) {
    return servers.values().stream().mapToLong(ServerTime::waitNanos).sum();
  }

  private static FakeCluster cluster() {
    return FakeCluster.delayed(3, server -> server.equals(SLOW) ? SLOW_NANOS : FAST_NANOS);
  }

  @Test
  void aSlowServerGetsTheWaits() throws Exception {
    try (FakeCluster cluster = cluster()) {
      Map<String, ServerTime> servers = read(cluster);

      ServerTime slow = servers.get(SLOW);
      assertThat(slow.waitNanos()).isGreaterThan(waits(servers) * 9 / 10);
      assertThat(slow.memoryNanos()).isZero();
      assertThat(slow.diskNanos()).isZero();
    }
  }

  @Test
  void theTimeOfItsDisksCountsAsDisk() throws Exception {
    try (FakeCluster cluster = cluster()) {
      cluster.server(1).reportFileTime(TimeUnit.NANOSECONDS.toMicros(SLOW_NANOS / 2));

      ServerTime slow = read(cluster).get(SLOW);
      assertThat(slow.diskNanos()).isBetween(slow.waitNanos() / 4, slow.waitNanos() * 3 / 4);
    }
  }

  @Test
  void aFalseTimeIsLimitedToTheWait() throws Exception {
    try (FakeCluster cluster = cluster()) {
      cluster.server(1).reportFileTime(Long.MAX_VALUE);

      ServerTime slow = read(cluster).get(SLOW);
      assertThat(slow.diskNanos()).isPositive().isLessThanOrEqualTo(slow.waitNanos());
    }
  }
}
