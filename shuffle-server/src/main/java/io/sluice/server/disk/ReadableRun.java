package io.sluice.server.disk;

import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run file as those see it who read it for others. Thread-safe. */
public interface ReadableRun extends StoredRun {
  /** Where it lies now; whose threads wait for it. */
  Disk disk();

  /** Name of its file, the same wherever it lies. */
  String name();

  /** Whose data it holds. */
  String application();

  /** Bytes of it that could not be read, for the health of its disk. */
  default FailedRead failedRead(long position, int length) {
    return new FailedRead(application(), name(), position, length);
  }

  /**
   * The file if it is open already, else null. Never waits; valid as long as the caller holds a
   * reference.
   */
  FileChannel openChannel();

  /**
   * Opens the file for the caller alone, who closes the channel: it shares neither position nor
   * flags with {@link #channel}. May wait for the disk.
   */
  FileChannel openOwn() throws IOException;

  /** Somebody reads it now: what was not read for long is the first to be moved elsewhere. */
  void readAt(long nowNanos);

  /** What {@link #readAt} was told last; 0 if nobody has read it yet. */
  long lastReadNanos();
}
