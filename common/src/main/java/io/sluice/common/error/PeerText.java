package io.sluice.common.error;

/**
 * Text of a peer, made fit for messages, log lines and statuses: it is short and cannot end or
 * forge a line.
 */
public final class PeerText {
  private static final int MAX_QUOTED_LENGTH = 64;

  private PeerText() {}

  /**
   * In quotation marks, at most 64 characters of it, and a question mark for each that is not
   * visible ASCII or is a quotation mark itself.
   */
  public static String quoted(String input) {
    boolean isLong = input.length() > MAX_QUOTED_LENGTH;
    String clipped = isLong ? input.substring(0, MAX_QUOTED_LENGTH) + "..." : input;
    return "\""
        + clipped.replaceAll("[^ -~]|\"", "?")
        + "\""
        + (isLong ? " (" + input.length() + " characters)" : "");
  }

  /** At most so many characters, with a blank for each control character and line separator. */
  public static String clipped(String input, int maxLength) {
    String clipped = input.length() <= maxLength ? input : input.substring(0, maxLength);
    return clipped.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]", " ");
  }
}
