package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationTable;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.FallbackTable;
import io.sluice.coordinator.cluster.OperatorOrders;
import io.sluice.coordinator.cluster.RemoteDirectoryTable;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.coordinator.quota.SetLimits;
import java.util.List;

/**
 * The complete state of the coordinator. Immutable.
 *
 * <p>Operator orders, fallbacks, limits, directories on remote tiers and applications survive a
 * restart, without leases and shuffles. Everything else is rebuilt from heartbeats and calls of
 * drivers.
 *
 * @param orders exclusions and decommissions ordered by operators
 * @param fallbacks latest fallback reports of drivers
 * @param limits limits of users that operators set through the API
 * @param remoteDirectories directories of servers on remote tiers, also of lost servers
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
    RemoteDirectoryTable remoteDirectories,
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
        RemoteDirectoryTable.EMPTY,
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

  /** Returns this view with another start time; the leases of live applications begin again. */
  ClusterView startingAt(long nowMs) {
    return new ClusterView(
            servers,
            applications,
            orders,
            fallbacks,
            limits,
            remoteDirectories,
            nowMs,
            assignments,
            partitionSize)
        .renewingLeases(nowMs);
  }

  /** Returns this view with new leases of all live applications. */
  ClusterView renewingLeases(long nowMs) {
    ApplicationTable[] renewed = {applications};
    applications.forEach(
        application -> {
          if (application.state() == Application.State.LIVE) {
            renewed[0] = renewed[0].with(application.renewed(nowMs));
          }
        });
    return with(renewed[0]);
  }

  /**
   * Returns the view after the logged changes of another coordinator, with the servers of this
   * view, which are not logged.
   *
   * @param changes all changes that restore the logged state
   */
  ClusterView replacedBy(List<LoggedChange> changes) {
    ClusterView restored =
        startedAt(startedAtMs).with(OperatorOrders.NONE.withFile(orders.excludedByFile()));
    restored = restored.apply(changes);
    ServerTable table = servers;
    for (Server server : servers.all()) {
      table =
          table.with(server.withState(restored.orders().effective(server.id(), server.reported())));
    }
    return restored.with(table, partitionSize);
  }

  ClusterView with(ServerTable changed) {
    return with(changed, partitionSize);
  }

  ClusterView with(ServerTable changed, PartitionSize estimate) {
    return new ClusterView(
        changed,
        applications,
        orders,
        fallbacks,
        limits,
        remoteDirectories,
        startedAtMs,
        assignments,
        estimate);
  }

  ClusterView with(ApplicationTable changed) {
    return with(changed, fallbacks);
  }

  ClusterView with(ApplicationTable changed, FallbackTable reported) {
    return new ClusterView(
        servers,
        changed,
        orders,
        reported,
        limits,
        remoteDirectories,
        startedAtMs,
        assignments,
        partitionSize);
  }

  ClusterView with(OperatorOrders changed) {
    return new ClusterView(
        servers,
        applications,
        changed,
        fallbacks,
        limits,
        remoteDirectories,
        startedAtMs,
        assignments,
        partitionSize);
  }

  ClusterView with(SetLimits changed) {
    return new ClusterView(
        servers,
        applications,
        orders,
        fallbacks,
        changed,
        remoteDirectories,
        startedAtMs,
        assignments,
        partitionSize);
  }

  ClusterView with(RemoteDirectoryTable changed) {
    return new ClusterView(
        servers,
        applications,
        orders,
        fallbacks,
        limits,
        changed,
        startedAtMs,
        assignments,
        partitionSize);
  }

  /** Returns this view after one more assignment. */
  ClusterView assigned(ServerTable changedServers, ApplicationTable changedApplications) {
    return new ClusterView(
        changedServers,
        changedApplications,
        orders,
        fallbacks,
        limits,
        remoteDirectories,
        startedAtMs,
        assignments + 1,
        partitionSize);
  }
}
