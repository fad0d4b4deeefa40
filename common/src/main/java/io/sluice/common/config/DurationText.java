package io.sluice.common.config;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How people write spans of time: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}. */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("(-?[0-9]+)\\s*([a-zA-Z]*)");

  private DurationText() {}

  /**
   * Milliseconds of a span.
   *
   * @param plainUnit what a number without a unit counts
   * @throws IllegalArgumentException saying what would be right
   */
  public static long parseMs(String text, TimeUnit plainUnit) {
    Matcher matcher = FORM.matcher(text.strip());
    TimeUnit unit = matcher.matches() ? unitOf(matcher.group(2), plainUnit) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a span of time; give one such as 500ms, 10s, 2m, 1h, or a plain number"
              + " of "
              + plainUnit.name().toLowerCase(Locale.ROOT));
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit.toMillis(1));
    } catch (NumberFormatException | ArithmeticException tooLarge) {
      throw new IllegalArgumentException("\"" + text + "\" is too long a time", tooLarge);
    }
  }

  private static TimeUnit unitOf(String unit, TimeUnit plainUnit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "" -> plainUnit;
      case "ms" -> TimeUnit.MILLISECONDS;
      case "s", "sec" -> TimeUnit.SECONDS;
      case "m", "min" -> TimeUnit.MINUTES;
      case "h" -> TimeUnit.HOURS;
      case "d" -> TimeUnit.DAYS;
      default -> null;
    };
  }

  /** The shortest exact form with a unit, which {@link #parseMs} reads back. */
  public static String print(long ms) {
    if (ms == 0) {
      return "0s";
    }
    if (ms % 86_400_000 == 0) {
      return ms / 86_400_000 + "d";
    }
    if (ms % 3_600_000 == 0) {
      return ms / 3_600_000 + "h";
    }
    if (ms % 60_000 == 0) {
      return ms / 60_000 + "m";
    }
    return ms % 1000 == 0 ? ms / 1000 + "s" : ms + "ms";
  }
}
