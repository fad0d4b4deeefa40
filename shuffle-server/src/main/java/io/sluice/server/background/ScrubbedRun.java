package io.sluice.server.background;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run file to verify; two objects for the same run are equal. */
public interface ScrubbedRun {
  /** Path of the file, for messages. */
  String file();

  /** Whether the run is still needed; otherwise its verification is cancelled. */
  boolean isNeeded();

  /** Whether a block that begins at this offset of the file is known to be damaged. */
  boolean isDamagedAt(long fileOffset);

  /**
   * Opens the file for positioned reads; the file is kept until {@link #closed}.
   *
   * @return owned; null if the run is no longer needed
   */
  FileChannel open() throws IOException;

  /** Called after the channel from {@link #open} was closed. */
  void closed();
}
