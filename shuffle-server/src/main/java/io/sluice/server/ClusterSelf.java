package io.sluice.server;

import io.sluice.proto.HeartbeatRequest;
import io.sluice.server.cluster.Self;
import io.sluice.server.control.Decommission;
import io.sluice.server.control.HeldReport;
import io.sluice.server.control.StoreReport;
import io.sluice.server.lease.LeaseTable;
import io.sluice.server.log.ShuffleStore;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server as its coordinators see it. Thread-safe. */
final class ClusterSelf implements Self {
  private static final Logger log = LoggerFactory.getLogger(ClusterSelf.class);

  private final StoreReport report;
  private final ShuffleStore store;
  private final List<String> tags;
  private final Decommission decommission;

  ClusterSelf(
      StoreReport report, ShuffleStore store, List<String> tags, Decommission decommission) {
    this.report = report;
    this.store = store;
    this.tags = tags;
    this.decommission = decommission;
  }

  @Override
  public HeartbeatRequest heartbeat() {
    return HeartbeatRequest.newBuilder()
        .setServer(report.server())
        .setState(report.state())
        .setLoad(report.load())
        .addAllTags(tags)
        .addAllApplications(store.applications())
        .setHeld(HeldReport.of(store))
        .setLeaving(decommission.hasEnded())
        .build();
  }

  @Override
  public void forget(String application, LeaseTable.Reason reason) {
    int shuffles = store.removeApplication(application);
    log.info(
        "application is over application={} reason={} shuffles={}", application, reason, shuffles);
  }
}
