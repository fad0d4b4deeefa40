package io.sluice.coordinator.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.ServerState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the published state whenever figures are asked for, so that nothing has to be kept up to
 * date. Thread-safe.
 */
public final class StateCollector extends Collector {
  /** The states that a server can be shown in. */
  private static final List<ServerState> STATES =
      List.of(
          ServerState.ACTIVE,
          ServerState.SERVER_DRAINING,
          ServerState.SERVER_LOST,
          ServerState.EXCLUDED,
          ServerState.UNHEALTHY);

  private final StateOwner owner;
  private final long serverLostAfterMs;

  public StateCollector(StateOwner owner, long serverLostAfterMs) {
    this.owner = owner;
    this.serverLostAfterMs = serverLostAfterMs;
  }

  @Override
  public List<MetricFamilySamples> collect() {
    ClusterView view = owner.view();
    long nowMs = owner.nowMs();
    Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
    long storedBytes = 0;
    for (Server server : view.servers().all()) {
      ServerState state = server.stateAt(nowMs, serverLostAfterMs, view.excluded());
      counts.merge(state, 1, Integer::sum);
      storedBytes += state == ServerState.SERVER_LOST ? 0 : server.load().getStoredBytes();
    }
    GaugeMetricFamily servers =
        new GaugeMetricFamily(
            "sluice_coordinator_servers", "Known shuffle servers, by state.", List.of("state"));
    STATES.forEach(
        state -> servers.addMetric(List.of(state.name()), counts.getOrDefault(state, 0)));
    GaugeMetricFamily applications =
        new GaugeMetricFamily(
            "sluice_coordinator_applications", "Known applications, by state.", List.of("state"));
    applications.addMetric(List.of("LIVE"), view.applications().liveCount());
    applications.addMetric(List.of("ENDED"), view.applications().endedCount());
    return List.of(
        servers,
        applications,
        new GaugeMetricFamily(
            "sluice_coordinator_excluded_entries",
            "Entries of the exclude file.",
            view.excluded().size()),
        new GaugeMetricFamily(
            "sluice_coordinator_stored_bytes",
            "Bytes of all shuffles on the servers that are not lost, as they reported.",
            storedBytes),
        new GaugeMetricFamily(
            "sluice_coordinator_shuffles_assigned",
            "Shuffles assigned since the start.",
            view.assignments()),
        new GaugeMetricFamily(
            "sluice_coordinator_queue_depth",
            "Calls that wait for the state thread.",
            owner.queueDepth()));
  }
}
