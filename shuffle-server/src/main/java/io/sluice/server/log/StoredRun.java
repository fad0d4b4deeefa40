package io.sluice.server.log;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * A run file of a log. It belongs to one log until it is discarded; readers have separate
 * references. The file is deleted when it was discarded and has no references. Thread-safe.
 */
public interface StoredRun {
  /**
   * Returns the file, for positioned reads only. It stays open while the caller has a reference.
   * The call may open the file, so it runs on threads that may wait for the disk.
   *
   * @throws IOException if the file cannot be opened
   */
  FileChannel channel() throws IOException;

  /** Whether a block that was found damaged begins at an offset of the file. */
  default boolean isDamagedAt(long fileOffset) {
    return false;
  }

  /** Adds a reader's reference. The caller must have a reference, or the lock of the run's log. */
  void retain();

  /** Releases a reader's reference. */
  void release();

  /** Deletes the run when its last reader releases it; called by its log. Idempotent. */
  void discard();
}
