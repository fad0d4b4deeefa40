package io.sluice.server.background;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run file to be verified; equal to what stood for the same run before. */
public interface ScrubbedRun {
  /** Its file, for messages. */
  String file();

  /** Whether somebody still needs it; verifying one that nobody needs is given up. */
  boolean isNeeded();

  /**
   * Opens it for positioned reads; the file stays until the channel is closed.
   *
   * @return owned; null if nobody needs the run any more
   */
  FileChannel open() throws IOException;

  /** What {@link #open} returned has been closed. */
  void closed();
}
