package io.sluice.server.read;

import io.sluice.server.storage.Disk;

/** Tells each disk's own health how its reads go. */
public final class ReportedHealth implements ReadHealth {
  @Override
  public void readSucceeded(Disk disk, long bytes, long nanos) {
    disk.health().readSucceeded(bytes, nanos);
  }

  @Override
  public void readFailed(Disk disk, Throwable problem) {
    disk.health().readFailed(problem);
  }

  @Override
  public void readTimedOut(Disk disk, long nanos) {
    disk.health().readOverdue(nanos);
  }
}
