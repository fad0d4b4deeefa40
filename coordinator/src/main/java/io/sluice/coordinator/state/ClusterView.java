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
 * The complete state of the coordinator. Immutable.
 *
 * <p>Operator orders, fallbacks, limits and ended applications survive a restart. Everything else
 * is rebuilt from heartbeats and calls of drivers.
 *
 * @param orders exclusions and decommissions ordered by operators
 * @param fallbacks latest fallback reports of drivers
 * @param limits limits of users that operators set through the API
 * @param startedAtMs start time of this coordinator, on the clock of its state
 * @param assignments number of assignments since the start
 * @param partitionSize estimate of the mean partition size
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

  /** Returns the state of a coordinator without servers and applications. */
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

  /** Servers that operators excluded from assignment. */
  public ExcludeList excluded() {
    return orders.excluded();
  }

  /** Returns the view after {@code records}, applied in order. */
  public ClusterView apply(List<? extends MetadataRecord> records) {
    ClusterView view = this;
    for (MetadataRecord record : records) {
      view = record.applyTo(view);
    }
    return view;
  }

  /** Returns this view with another start time. */
  ClusterView startingAt(long nowMs) {
    return new ClusterView(
        servers, applications, orders, fallbacks, limits, nowMs, assignments, partitionSize);
  }

  ClusterView with(ServerTable changed) {
    return with(changed, partitionSize);
  }

  ClusterView with(ServerTable changed, PartitionSize estimate) {
    return new ClusterView(
        changed, applications, orders, fallbacks, limits, startedAtMs, assignments, estimate);
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

  /** Returns this view after one more assignment. */
  ClusterView assigned(ServerTable changedServers, ApplicationTable changedApplications) {
    return new ClusterView(
        changedServers,
        changedApplications,
        orders,
        fallbacks,
        limits,
        startedAtMs,
        assignments + 1,
        partitionSize);
  }
}
