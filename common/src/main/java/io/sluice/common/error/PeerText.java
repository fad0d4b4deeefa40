package io.sluice.common.error;

/**
 * Sanitizes text of a peer for messages, log lines and statuses: bounded length, no line breaks.
 */
public final class PeerText {
  private static final int MAX_QUOTED_LENGTH = 256;

  private PeerText() {}

  /**
   * Quotes at most 256 characters, the longest valid name. Each quotation mark and each character
   * that is not visible ASCII becomes a question mark.
   */
  public static String quoted(String input) {
    boolean isLong = input.length() > MAX_QUOTED_LENGTH;
    String clipped = isLong ? input.substring(0, MAX_QUOTED_LENGTH) + "..." : input;
    return "\""
        + clipped.replaceAll("[^ -~]|\"", "?")
        + "\""
        + (isLong ? " (" + input.length() + " characters)" : "");
  }

  /**
   * At most {@code maxLength} characters, with a blank for each control character and line
   * separator.
   */
  public static String clipped(String input, int maxLength) {
    String clipped = input.length() <= maxLength ? input : input.substring(0, maxLength);
    return clipped.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]", " ");
  }
}
