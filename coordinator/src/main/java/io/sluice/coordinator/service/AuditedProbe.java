package io.sluice.coordinator.service;

import io.sluice.common.auth.AuditEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.util.List;

/** Writes expired applications to the audit log, and forwards all calls to another probe. */
public final class AuditedProbe implements StateOwner.Probe {
  private final StateOwner.Probe next;
  private final AuditLog audit;

  public AuditedProbe(StateOwner.Probe next, AuditLog audit) {
    this.next = next;
    this.audit = audit;
  }

  @Override
  public void round(int requests, long oldestWaitNanos) {
    next.round(requests, oldestWaitNanos);
  }

  @Override
  public void timedOut(List<MetadataRecord> records) {
    for (MetadataRecord record : records) {
      if (record instanceof LoggedChange.ApplicationExpired expired) {
        audit.write(
            AuditEntry.happened(
                AuditEntry.Action.EXPIRE,
                expired.application(),
                "lease expired, last call of the driver " + expired.silentMs() + " ms ago"));
      }
    }
    next.timedOut(records);
  }
}
