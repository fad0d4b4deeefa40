package io.sluice.cli.admin;

import io.sluice.common.config.DataSize;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats numbers, sizes and times for tables. */
final class FigureText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
  private static final String NONE = "-";

  private FigureText() {}

  static String size(long bytes) {
    return bytes < 0 ? "-" + size(-bytes) : new DataSize(bytes).toRoundedText();
  }

  /** Duration in its two largest units. */
  static String span(long ms) {
    if (ms < 1000) {
      return ms + "ms";
    }
    long seconds = ms / 1000;
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 86_400
        ? seconds / 3600 + "h" + seconds / 60 % 60 + "m"
        : seconds / 86_400 + "d" + seconds / 3600 % 24 + "h";
  }

  static String percent(long part, long whole) {
    return whole <= 0 ? NONE : rounded(100.0 * part / whole);
  }

  /**
   * @param share 1 is the whole
   */
  static String percent(double share) {
    return rounded(100 * share);
  }

  private static String rounded(double percent) {
    return String.format(Locale.ROOT, "%.0f%%", percent);
  }

  static String factor(Double value) {
    return value == null ? NONE : String.format(Locale.ROOT, "%.1f", value);
  }

  static String time(long epochMs, ZoneId zone) {
    return TIME.format(Instant.ofEpochMilli(epochMs).atZone(zone));
  }

  static String orNone(String text) {
    return text == null || text.isEmpty() ? NONE : text;
  }
}
