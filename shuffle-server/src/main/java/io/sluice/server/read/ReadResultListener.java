package io.sluice.server.read;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.FailedRead;
import java.io.IOException;

/**
 * Receives the results of disk reads, for the health of the disk. Called on reader threads and
 * timers; must not block.
 */
public interface ReadResultListener {
  /** A read of {@code bytes} took {@code nanos}. */
  void readSucceeded(Disk disk, long bytes, long nanos);

  void readFailed(Disk disk, FailedRead read, IOException problem);

  /** A read timed out after {@code nanos}; its thread still waits for the disk. */
  void readTimedOut(Disk disk, long nanos);

  /** Ignores all results. */
  ReadResultListener IGNORED =
      new ReadResultListener() {
        @Override
        public void readSucceeded(Disk disk, long bytes, long nanos) {}

        @Override
        public void readFailed(Disk disk, FailedRead read, IOException problem) {}

        @Override
        public void readTimedOut(Disk disk, long nanos) {}
      };
}
