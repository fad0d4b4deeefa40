package io.sluice.common.run;

import java.io.IOException;

/** A run cannot be merged because it is unreadable or damaged. */
public final class MergeInputException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int input;

  /**
   * @param input number of the input, from 0
   * @param file name for messages
   */
  public MergeInputException(int input, String file, IOException cause) {
    super("run file=" + file + " cannot be merged: " + cause.getMessage(), cause);
    this.input = input;
  }

  /** Number of the input, from 0. */
  public int input() {
    return input;
  }
}
