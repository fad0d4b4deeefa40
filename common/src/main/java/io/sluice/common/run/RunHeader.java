package io.sluice.common.run;

import java.nio.charset.StandardCharsets;

/**
 * What a run says of itself at its beginning.
 *
 * @param order where it stands among the runs of its shuffle
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

  /** Bytes of the encoded header: the first block begins there. */
  public int length() {
    return RunFormat.HEADER_FIXED_LENGTH + application.length() + Integer.BYTES;
  }
}
