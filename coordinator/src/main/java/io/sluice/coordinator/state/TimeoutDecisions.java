package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds expired timeouts: lost servers, expired leases, and entries that are no longer needed. A
 * pure function.
 */
public final class TimeoutDecisions {
  private final ServerTableConfig servers;
  private final ApplicationConfig applications;
  private final AdoptionDecisions adoptions;

  public TimeoutDecisions(ServerTableConfig servers, ApplicationConfig applications) {
    this.servers = servers;
    this.applications = applications;
    this.adoptions = new AdoptionDecisions(servers);
  }

  public List<MetadataRecord> expired(ClusterView view, long nowMs) {
    List<MetadataRecord> records = new ArrayList<>();
    for (Server server : view.servers().all()) {
      long silentMs = nowMs - server.heartbeatAtMs();
      switch (server.liveness()) {
        case LIVE -> {
          if (silentMs > servers.lostAfterMs()) {
            records.add(
                new MetadataRecord.ServerLost(server.name(), server.id().getEpoch(), silentMs));
          }
        }
        case LOST -> {
          if (silentMs > servers.forgetAfterMs()) {
            records.add(new MetadataRecord.ServerForgotten(server.name()));
          }
        }
      }
    }
    records.addAll(adoptions.expired(view, nowMs));
    view.applications().forEach(application -> check(application, nowMs, records));
    for (DecommissionOrder order : view.orders().decommissions().values()) {
      long sinceMs = Math.max(order.orderedAtMs(), view.startedAtMs());
      if (view.servers().get(order.server()) == null && nowMs - sinceMs > servers.forgetAfterMs()) {
        records.add(new LoggedChange.DecommissionEnded(order.server(), false));
      }
    }
    return records;
  }

  private void check(Application application, long nowMs, List<MetadataRecord> records) {
    switch (application.state()) {
      case LIVE -> {
        if (!application.liveAt(nowMs, applications.leaseMs())) {
          records.add(
              new LoggedChange.ApplicationExpired(
                  application.name(), nowMs - application.sinceMs()));
        }
      }
      case ENDED -> {
        if (nowMs - application.sinceMs() > applications.endedRememberedMs()) {
          records.add(new LoggedChange.ApplicationForgotten(application.name()));
        }
      }
    }
  }
}
