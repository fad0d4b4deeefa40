package io.sluice.demo;

import io.sluice.demo.staging.DemoException;
import java.io.IOException;

/** Something to run on both sides, and what comes of it. */
public interface Comparison {
  /** What it came to. */
  interface Outcome {
    /** For the user, lines with their ends. */
    String render();

    /** Whether both sides came to the same. */
    boolean isGood();
  }

  Outcome run() throws DemoException, IOException, InterruptedException;

  /**
   * Removes files of the run that need not stay. Call when no process is left.
   *
   * @return whether logs and settings are still there
   */
  boolean removeFiles(boolean good) throws IOException;
}
