package io.sluice.common.run;

import java.io.IOException;

/** A run could not be merged because it cannot be read, or is damaged. */
public final class MergeInputException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int input;

  /**
   * @param input its number, from 0
   * @param file name for messages
   */
  public MergeInputException(int input, String file, IOException cause) {
    super("run file=" + file + " cannot be merged: " + cause.getMessage(), cause);
    this.input = input;
  }

  /** Which of the inputs, from 0. */
  public int input() {
    return input;
  }
}
