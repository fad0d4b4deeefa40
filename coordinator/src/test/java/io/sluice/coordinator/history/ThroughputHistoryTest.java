package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThroughputHistoryTest {
  private static final long LOST_AFTER_MS = 1000;
  private static final String A = Servers.id("a", 1).getName();
  private static final String B = Servers.id("b", 1).getName();

  private final ThroughputHistory history = new ThroughputHistory();

  private static ServerTable reported(ServerTable servers, String host, long push, long atMs) {
    return servers.with(
        Server.reporting(
            Servers.id(host, 1),
            ServerState.ACTIVE,
            Servers.idleLoad().toBuilder().setPushBytesPerSecond(push).build(),
            StoredData.getDefaultInstance(),
            List.of(),
            atMs));
  }

  private void sample(ServerTable servers, long atMs) {
    history.sample(servers, ExcludeList.empty(), LOST_AFTER_MS, atMs);
  }

  private void log() {
    history.unlogged(1).ifPresent(history::logged);
  }

  @Test
  void sumsUpTheReportsOfServers() {
    sample(reported(reported(ServerTable.empty(), "a", 100, 70_000), "b", 20, 70_000), 70_000);

    assertThat(history.cluster())
        .extracting(Throughput::pushBytesPerSecond, Throughput::atMs)
        .containsExactly(tuple(120L, 70_000L));
    assertThat(history.server(B)).extracting(Throughput::pushBytesPerSecond).containsExactly(20L);
  }

  @Test
  void aLostServerHasNoThroughput() {
    sample(reported(ServerTable.empty(), "a", 100, 0), LOST_AFTER_MS + 1);

    assertThat(history.cluster().get(0).pushBytesPerSecond()).isZero();
  }

  @Test
  void isBoundedWithAndWithoutLog() {
    ServerTable servers = reported(ServerTable.empty(), "a", 100, 0);
    for (int i = 0; i < ThroughputHistory.CLUSTER_SAMPLES + 5; i++) {
      sample(servers, i);
    }
    assertThat(history.cluster()).hasSize(ThroughputHistory.CLUSTER_SAMPLES);
    assertThat(history.server(A)).hasSize(ThroughputHistory.SERVER_SAMPLES);

    log();
    for (int i = 0; i < ThroughputHistory.CLUSTER_SAMPLES; i++) {
      sample(servers, 10_000 + i);
    }
    assertThat(history.cluster()).hasSize(ThroughputHistory.CLUSTER_SAMPLES);
    log();
    assertThat(history.cluster()).hasSize(ThroughputHistory.CLUSTER_SAMPLES);
    assertThat(history.cluster().get(0).atMs()).isEqualTo(10_000);
    assertThat(history.allLogged().cluster()).hasSize(ThroughputHistory.CLUSTER_SAMPLES);
    assertThat(history.allLogged().servers().get(A)).hasSize(ThroughputHistory.SERVER_SAMPLES);
  }

  @Test
  void unloggedSamplesAreVisible() {
    ServerTable servers = reported(ServerTable.empty(), "a", 100, 0);
    for (int i = 1; i < ThroughputHistory.BATCH_SAMPLES; i++) {
      sample(servers, i);
    }
    assertThat(history.unlogged(ThroughputHistory.BATCH_SAMPLES)).isEmpty();
    sample(servers, 100);
    ThroughputBatch batch = history.unlogged(ThroughputHistory.BATCH_SAMPLES).orElseThrow();
    sample(servers, 101);
    List<Throughput> before = history.cluster();

    history.logged(batch);

    assertThat(history.cluster()).isEqualTo(before).hasSize(ThroughputHistory.BATCH_SAMPLES + 1);
    assertThat(history.server(A)).hasSize(ThroughputHistory.BATCH_SAMPLES + 1);
    assertThat(history.unlogged(1).orElseThrow().cluster()).hasSize(1);
  }

  @Test
  void removesAServerWithItsLastSample() {
    long spanMs = ThroughputHistory.SERVER_SAMPLES * ThroughputHistory.INTERVAL_MS;
    sample(reported(reported(ServerTable.empty(), "a", 1, 0), "b", 1, 0), 1);
    log();
    sample(reported(ServerTable.empty(), "a", 1, 0), spanMs);
    log();
    assertThat(history.server(B)).hasSize(1);

    sample(reported(ServerTable.empty(), "a", 1, 0), spanMs + 1);
    log();

    assertThat(history.server(B)).isEmpty();
    assertThat(history.server(A)).hasSize(3);
  }
}
