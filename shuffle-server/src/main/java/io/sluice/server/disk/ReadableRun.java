package io.sluice.server.disk;

import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** The view of a run file for read requests. Thread-safe. */
public interface ReadableRun extends StoredRun {
  /** The disk that stores the file now. */
  Disk disk();

  /** Name of the file, the same on every disk. */
  String name();

  /** The application that owns the data. */
  String application();

  /** A failed read of this file, for the health of its disk. */
  default FailedRead failedRead(long position, int length) {
    return new FailedRead(application(), name(), position, length);
  }

  /**
   * The channel if the file is open, else null. Never waits; valid until the caller releases the
   * run.
   */
  FileChannel openChannel();

  /**
   * Opens a separate channel, which the caller closes: it shares neither position nor flags with
   * {@link #channel}. May wait for the disk.
   */
  FileChannel openOwn() throws IOException;

  /** Records the time of a read: the least recently read runs are demoted first. */
  void markRead(long nowNanos);

  /** Time of the last read; 0 if the run was never read. */
  long lastReadNanos();
}
