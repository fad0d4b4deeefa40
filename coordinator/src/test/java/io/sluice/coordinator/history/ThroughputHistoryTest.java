package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Servers;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.proto.HeldData;
import io.sluice.proto.ServerState;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThroughputHistoryTest {
  private static final long LOST_AFTER_MS = 1000;
  private final ThroughputHistory history = new ThroughputHistory(() -> LOST_AFTER_MS);

  private static ClusterView heard(ClusterView view, String host, long push, long atMs) {
    return view.apply(
        List.of(
            new MetadataRecord.ServerReported(
                Servers.id(host, 1),
                ServerState.ACTIVE,
                Servers.idleLoad().toBuilder().setPushBytesPerSecond(push).build(),
                HeldData.getDefaultInstance(),
                List.of(),
                atMs)));
  }

  @Test
  void sumsWhatTheServersReport() {
    ClusterView view = heard(heard(ClusterView.startedAt(0), "a", 100, 0), "b", 20, 0);

    history.sample(view, 10, 70_000);

    assertThat(history.cluster()).hasSize(1);
    assertThat(history.cluster().get(0).pushBytesPerSecond()).isEqualTo(120);
    assertThat(history.cluster().get(0).atMs()).isEqualTo(70_000);
    assertThat(history.server(Servers.id("b", 1).getName()))
        .extracting(Throughput::pushBytesPerSecond)
        .containsExactly(20L);
  }

  @Test
  void aLostServerMovesNothing() {
    ClusterView view = heard(ClusterView.startedAt(0), "a", 100, 0);

    history.sample(view, LOST_AFTER_MS + 1, 0);

    assertThat(history.cluster().get(0).pushBytesPerSecond()).isZero();
  }

  @Test
  void keepsABoundedPastAndNoForgottenServer() {
    ClusterView view = heard(ClusterView.startedAt(0), "a", 100, 0);
    for (int i = 0; i < ThroughputHistory.CLUSTER_SAMPLES + 5; i++) {
      history.sample(view, 0, i);
    }

    assertThat(history.cluster()).hasSize(ThroughputHistory.CLUSTER_SAMPLES);
    assertThat(history.cluster().get(0).atMs()).isEqualTo(5);
    String name = Servers.id("a", 1).getName();
    assertThat(history.server(name)).hasSize(ThroughputHistory.SERVER_SAMPLES);

    history.sample(view.apply(List.of(new MetadataRecord.ServerForgotten(name))), 0, 9999);
    assertThat(history.server(name)).isEmpty();
  }
}
