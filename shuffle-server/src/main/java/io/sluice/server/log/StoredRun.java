package io.sluice.server.log;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * A run file as a log sees it. It belongs to one log, until discarded; readers have references of
 * their own. The file stays while it has either. Thread-safe.
 */
public interface StoredRun {
  /**
   * The file, for positioned reads only; open as long as the caller holds a reference. It may have
   * to be opened first: called on threads that may wait for its disk.
   *
   * @throws IOException if the file cannot be opened
   */
  FileChannel channel() throws IOException;

  /**
   * Adds a reader's reference; only whoever has one, or the lock of the log that has the run, may.
   */
  void retain();

  /** Gives a reader's reference back. */
  void release();

  /** The log does not need the run any more. Idempotent. */
  void discard();
}
