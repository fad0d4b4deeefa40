package io.sluice.server.log;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * A run file as a log sees it: something that stays while it is referred to. A log holds one
 * reference for all its extents, every reader one of its own. Thread-safe.
 */
public interface StoredRun {
  /**
   * The file, for positioned reads only; open as long as the caller holds its reference.
   *
   * @throws IOException if the file cannot be opened
   */
  FileChannel channel() throws IOException;

  /** Adds a reference; only whoever has one, or the lock of the log that has, may call it. */
  void retain();

  /** Gives a reference back. The last one lets the file be deleted. */
  void release();
}
