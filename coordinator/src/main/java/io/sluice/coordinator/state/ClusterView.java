package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.ApplicationTable;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.FallbackTable;
import io.sluice.coordinator.cluster.OperatorOrders;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.coordinator.quota.SetLimits;
import java.util.List;

/**
 * All that the coordinator knows at one moment. Immutable.
 *
 * <p>Orders, fallbacks, limits and the ended applications survive a restart; the rest is learnt
 * again from heartbeats and drivers.
 *
 * @param orders of operators, about servers
 * @param fallbacks the newest reports of drivers
 * @param limits of users, as operators set them over the API
 * @param startedAtMs when this coordinator started, on the clock of its state
 * @param assignments how many shuffles were assigned since then
 * @param partitionSize what a partition weighs, as learnt from heartbeats
 */
public record ClusterView(
    ServerTable servers,
    ApplicationTable applications,
    OperatorOrders orders,
    FallbackTable fallbacks,
    SetLimits limits,
    long startedAtMs,
    long assignments,
    PartitionSize partitionSize) {

  /** A coordinator that has heard of nobody. */
  public static ClusterView startedAt(long nowMs) {
    return new ClusterView(
        ServerTable.empty(),
        ApplicationTable.empty(),
        OperatorOrders.NONE,
        FallbackTable.EMPTY,
        SetLimits.NONE,
        nowMs,
        0,
        PartitionSize.UNKNOWN);
  }

  /** Servers that operators took out of assignment. */
  public ExcludeList excluded() {
    return orders.excluded();
  }

  /** The view after {@code records}, in their order. */
  public ClusterView apply(List<? extends MetadataRecord> records) {
    ClusterView view = this;
    for (MetadataRecord record : records) {
      view = record.applyTo(view);
    }
    return view;
  }

  /** The same of a coordinator that starts at another time. */
  ClusterView startingAt(long nowMs) {
    return new ClusterView(
        servers, applications, orders, fallbacks, limits, nowMs, assignments, partitionSize);
  }

  ClusterView with(ServerTable changed) {
    return with(changed, partitionSize);
  }

  ClusterView with(ServerTable changed, PartitionSize learnt) {
    return new ClusterView(
        changed, applications, orders, fallbacks, limits, startedAtMs, assignments, learnt);
  }

  ClusterView with(ApplicationTable changed) {
    return with(changed, fallbacks);
  }

  ClusterView with(ApplicationTable changed, FallbackTable reported) {
    return new ClusterView(
        servers, changed, orders, reported, limits, startedAtMs, assignments, partitionSize);
  }

  ClusterView with(OperatorOrders changed) {
    return new ClusterView(
        servers, applications, changed, fallbacks, limits, startedAtMs, assignments, partitionSize);
  }

  ClusterView with(SetLimits changed) {
    return new ClusterView(
        servers, applications, orders, fallbacks, changed, startedAtMs, assignments, partitionSize);
  }

  /** One more assignment: of partitions to servers, and in the memory of its application. */
  ClusterView assigned(ServerTable given, ApplicationTable remembering) {
    return new ClusterView(
        given, remembering, orders, fallbacks, limits, startedAtMs, assignments + 1, partitionSize);
  }
}
