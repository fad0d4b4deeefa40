package io.sluice.server.read;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.FailedRead;
import java.io.IOException;

/** Who judges disks by how their reads go. Called on disks' reader threads and timers; quick. */
public interface ReadHealth {
  /** A read of so many bytes took so long. */
  void readSucceeded(Disk disk, long bytes, long nanos);

  void readFailed(Disk disk, FailedRead read, IOException problem);

  /** A read was given up after so long; its thread waits for the disk still. */
  void readTimedOut(Disk disk, long nanos);

  /** Nobody. */
  ReadHealth IGNORED =
      new ReadHealth() {
        @Override
        public void readSucceeded(Disk disk, long bytes, long nanos) {}

        @Override
        public void readFailed(Disk disk, FailedRead read, IOException problem) {}

        @Override
        public void readTimedOut(Disk disk, long nanos) {}
      };
}
