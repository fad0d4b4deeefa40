package io.sluice.server.read;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.FailedRead;
import java.io.IOException;

/** Reports the results of disk reads to the health of each disk. Thread-safe. */
public final class ReadHealthReporter implements ReadResultListener {
  @Override
  public void readSucceeded(Disk disk, long bytes, long nanos) {
    disk.health().readSucceeded(bytes, nanos);
  }

  @Override
  public void readFailed(Disk disk, FailedRead read, IOException problem) {
    disk.health().readFailed(read, problem);
  }

  @Override
  public void readTimedOut(Disk disk, long nanos) {
    disk.health().readOverdue(nanos);
  }
}
