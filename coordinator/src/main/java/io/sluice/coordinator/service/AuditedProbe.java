package io.sluice.coordinator.service;

import io.sluice.common.auth.AuditEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.util.List;

/** Writes to the audit log what ends applications without a call, and passes everything on. */
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
  public void timePassed(List<MetadataRecord> records) {
    for (MetadataRecord record : records) {
      if (record instanceof MetadataRecord.ApplicationExpired expired) {
        audit.write(
            AuditEntry.happened(
                AuditEntry.Action.EXPIRE,
                expired.application(),
                "silent for " + expired.silentMs() + " ms"));
      }
    }
    next.timePassed(records);
  }
}
