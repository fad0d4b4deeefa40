package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.server.ServerTimes.ServerTime;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The server and the cause that the waits of a push session count for. */
class PushWaitsTest {
  private static final long FAST_NANOS = 1_000;
  private static final long SLOW_NANOS = 1_000_000;
  private static final String SLOW = "server-1";

  private static Map<String, ServerTime> push(FakeCluster cluster) throws Exception {
    try (FramedPushSession session = cluster.push(cluster.assign(30, 3, 1), 1, 0)) {
      byte[] noise = new byte[20_000];
      new Random(1).nextBytes(noise);
      for (int pass = 0; pass < 10; pass++) {
        for (int partition = 0; partition < 30; partition++) {
          session.add(partition, noise, 0, noise.length, 1);
        }
      }
      session.finish();
      PushCounters counters = session.counters();
      Map<String, ServerTime> servers = counters.servers().byServer();
      assertThat(servers.values().stream().mapToLong(ServerTime::bytes).sum())
          .isEqualTo(counters.sentBytes());
      assertThat(servers.values().stream().mapToLong(ServerTime::waitNanos).sum())
          .isEqualTo(counters.waitNanos())
          .isPositive();
      return servers;
    }
  }

  private static FakeCluster cluster() {
    return FakeCluster.delayed(3, server -> server.equals(SLOW) ? SLOW_NANOS : FAST_NANOS);
  }

  private static long waits(Map<String, ServerTime> servers) {
    return servers.values().stream().mapToLong(ServerTime::waitNanos).sum();
  }

  @Test
  void aSlowServerGetsTheWaits() throws Exception {
    try (FakeCluster cluster = cluster()) {
      Map<String, ServerTime> servers = push(cluster);

      ServerTime slow = servers.get(SLOW);
      assertThat(slow.waitNanos()).isGreaterThan(waits(servers) * 9 / 10);
      assertThat(slow.memoryNanos()).isZero();
      assertThat(slow.diskNanos()).isZero();
    }
  }

  @Test
  void aServerThatWritesToDisksCountsAsDisk() throws Exception {
    try (FakeCluster cluster = cluster()) {
      cluster.server(1).reportMemoryUsed(PushWindows.HIGH_PERMILLE);
      cluster.server(1).reportSpilling();

      ServerTime slow = push(cluster).get(SLOW);
      // The connection is made before the first acknowledgement.
      assertThat(slow.diskNanos()).isBetween(slow.waitNanos() * 9 / 10, slow.waitNanos());
      assertThat(slow.memoryNanos()).isZero();
    }
  }

  @Test
  void aServerShortOfMemoryWithoutWritesCountsAsMemory() throws Exception {
    try (FakeCluster cluster = cluster()) {
      cluster.server(1).reportMemoryUsed(PushWindows.HIGH_PERMILLE);

      ServerTime slow = push(cluster).get(SLOW);
      assertThat(slow.memoryNanos()).isBetween(slow.waitNanos() * 9 / 10, slow.waitNanos());
      assertThat(slow.diskNanos()).isZero();
    }
  }

  @Test
  void writesOfAServerWithFreeMemoryAreNoCause() throws Exception {
    try (FakeCluster cluster = cluster()) {
      cluster.server(1).reportMemoryUsed(PushWindows.HIGH_PERMILLE - 1);
      cluster.server(1).reportSpilling();

      assertThat(push(cluster).get(SLOW).diskNanos()).isZero();
    }
  }
}
