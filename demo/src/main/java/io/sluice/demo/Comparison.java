package io.sluice.demo;

import java.io.IOException;

/** Something to run on both sides, and what comes of it. */
interface Comparison {
  /** What it came to. */
  interface Outcome {
    /** For the user, lines with their ends. */
    String render();

    /** Whether both sides came to the same. */
    boolean isGood();
  }

  Outcome run() throws DemoException, IOException, InterruptedException;

  /** The user has ended it, and no process is left. */
  void interrupted();

  /**
   * Removes files of the run that need not stay. Call when no process is left.
   *
   * @return whether logs and settings are still there
   */
  boolean removeFiles(boolean good) throws IOException;
}
