package io.sluice.server.storage;

import io.sluice.server.log.StoredRun;
import java.nio.channels.FileChannel;

/** A run file as those see it who read it for others. Thread-safe. */
public interface ReadableRun extends StoredRun {
  /** Where it lies now; whose threads wait for it. */
  Disk disk();

  /** Name of its file, the same wherever it lies. */
  String name();

  /**
   * The file if it is open already, else null. Never waits; valid as long as the caller holds a
   * reference.
   */
  FileChannel openChannel();

  /** Somebody reads it now: what was not read for long is the first to be moved elsewhere. */
  void readAt(long nowNanos);

  /** What {@link #readAt} was told last; 0 if nobody has read it yet. */
  long lastReadNanos();
}
