package io.sluice.coordinator.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.net.PeerConnections;
import io.sluice.proto.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinatorMetricsTest {
  private final CoordinatorMetrics metrics =
      new CoordinatorMetrics(connections(), connections(), denials(), denials());

  private static PeerConnections connections() {
    return new PeerConnections(1, 1, "max", "per.peer.max");
  }

  private static CallDenials denials() {
    return new CallDenials(new AuditLog(), () -> 0);
  }

  /** The alert SluiceApplicationsDenied sees the increase from 0 only. */
  @ParameterizedTest
  @ValueSource(strings = {"RegisterApplication", "RegisterShuffle"})
  void exposesDeniedCallsBeforeTheFirstOne(String call) {
    assertThat(denied(call)).isZero();

    metrics.answered(call, Status.DENIED, 1);

    assertThat(denied(call)).isEqualTo(1);
  }

  private Double denied(String call) {
    return metrics
        .registry()
        .getSampleValue(
            "sluice_coordinator_requests_total",
            new String[] {"call", "status"},
            new String[] {call, Status.DENIED.name()});
  }
}
