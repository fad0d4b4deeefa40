package io.sluice.coordinator.state;

import io.sluice.coordinator.app.ApplicationTable;
import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.ServerTable;
import java.util.List;

/**
 * All that the coordinator knows at one moment. Immutable.
 *
 * @param startedAtMs when this coordinator started, on its monotonic clock
 * @param assignments how many shuffles were assigned since then
 * @param partitionSize what a partition weighs, as learnt from heartbeats
 */
public record ClusterView(
    ServerTable servers,
    ApplicationTable applications,
    ExcludeList excluded,
    long startedAtMs,
    long assignments,
    PartitionSize partitionSize) {

  /** A coordinator that has heard of nobody. */
  public static ClusterView startedAt(long nowMs) {
    return new ClusterView(
        ServerTable.empty(),
        ApplicationTable.empty(),
        ExcludeList.empty(),
        nowMs,
        0,
        PartitionSize.UNKNOWN);
  }

  /** The view after {@code records}, in their order. */
  public ClusterView apply(List<MetadataRecord> records) {
    ClusterView view = this;
    for (MetadataRecord record : records) {
      view = record.applyTo(view);
    }
    return view;
  }

  ClusterView with(ServerTable changed) {
    return with(changed, partitionSize);
  }

  ClusterView with(ServerTable changed, PartitionSize learnt) {
    return new ClusterView(changed, applications, excluded, startedAtMs, assignments, learnt);
  }

  ClusterView with(ApplicationTable changed) {
    return new ClusterView(servers, changed, excluded, startedAtMs, assignments, partitionSize);
  }
}
