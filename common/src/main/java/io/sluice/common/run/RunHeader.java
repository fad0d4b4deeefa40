package io.sluice.common.run;

import java.nio.charset.StandardCharsets;

/**
 * Header of a run file.
 *
 * @param order position among the runs of its shuffle
 * @param application 1 to 256 ASCII characters
 */
public record RunHeader(RunId runId, RunOrder order, String application, int shuffle) {
  static final int MAX_APPLICATION_LENGTH = 256;

  public RunHeader {
    byte[] name = application.getBytes(StandardCharsets.US_ASCII);
    if (name.length < 1
        || name.length > MAX_APPLICATION_LENGTH
        || !application.equals(new String(name, StandardCharsets.US_ASCII))) {
      throw new IllegalArgumentException(
          "application id must be 1 to 256 ASCII characters: " + application);
    }
  }

  /** Length of the encoded header; the first block begins at this offset. */
  public int length() {
    return RunFormat.HEADER_FIXED_LENGTH + application.length() + Integer.BYTES;
  }
}
