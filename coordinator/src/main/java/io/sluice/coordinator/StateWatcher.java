package io.sluice.coordinator;

import io.sluice.common.auth.Revocations;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.ShuffleLedger;
import io.sluice.coordinator.history.TaskReports;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.time.Instant;
import java.util.List;

/**
 * Forwards state changes to metrics, the shuffle ledger, the reports about tasks, quotas and the
 * refusal of revoked tokens. Used by the state thread only.
 */
final class StateWatcher implements StateOwner.Watcher {
  private final ShuffleLedger shuffles;
  private final TaskReports tasks;
  private final Quotas quotas;
  private final CoordinatorMetrics metrics;
  private final Revocations revocations;

  StateWatcher(
      ClusterHistory history, Quotas quotas, CoordinatorMetrics metrics, Revocations revocations) {
    this.shuffles = history.shuffles();
    this.tasks = history.tasks();
    this.quotas = quotas;
    this.metrics = metrics;
    this.revocations = revocations;
  }

  @Override
  public void changed(MetadataRecord record, ClusterView view, Instant at) {
    metrics.changed(record);
    if (record instanceof MetadataRecord.ShuffleAssigned assigned) {
      shuffles.assigned(
          assigned.application(),
          assigned.shuffle(),
          assigned.partitionCount(),
          assigned.replicas(),
          assigned.partitionsByServer(),
          at);
    } else if (record instanceof MetadataRecord.ReceiptsReported reported) {
      shuffles.reported(reported.application(), reported.receipts());
    } else if (record instanceof MetadataRecord.TasksReported reported) {
      tasks.reported(reported.application(), reported.report());
    } else if (record instanceof LoggedChange.ApplicationEnded ended) {
      forget(ended.application().name());
    } else if (record instanceof LoggedChange.ApplicationExpired expired) {
      forget(expired.application());
    } else if (record instanceof MetadataRecord.ServerForgotten server) {
      shuffles.forgetServer(server.server());
    } else if (record instanceof MetadataRecord.ServerLeft server) {
      shuffles.forgetServer(server.server());
    } else if (record instanceof LoggedChange.LimitsSet) {
      quotas.limits(view.limits());
    } else if (record instanceof LoggedChange.TokensRevoked revoked) {
      revocations.add(List.of(revoked.revocation()));
    }
  }

  private void forget(String application) {
    shuffles.forgetApplication(application);
    tasks.forget(application);
  }

  @Override
  public void replaced(ClusterView view) {
    quotas.limits(view.limits());
    revocations.add(view.orders().revocations().all());
  }
}
