package io.sluice.demo;

import io.sluice.demo.staging.DemoException;
import java.io.IOException;

/** A comparison of the engine's built-in shuffle with Sluice. */
public interface Comparison {
  /** Result of a comparison. */
  interface Outcome {
    /** Text for the user; each line ends with a line separator. */
    String render();

    /** True if both sides returned the same result. */
    boolean isGood();
  }

  Outcome run() throws DemoException, IOException, InterruptedException;

  /**
   * Deletes files of the run that are no longer needed. Call after all processes have ended.
   *
   * @param good whether the comparison succeeded
   * @return whether logs and settings were kept
   */
  boolean removeFiles(boolean good) throws IOException;
}
