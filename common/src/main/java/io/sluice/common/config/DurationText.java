package io.sluice.common.config;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text form of durations: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}. */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("(-?[0-9]+)\\s*([a-zA-Z]*)");

  private DurationText() {}

  /**
   * Parses a duration into milliseconds.
   *
   * @param plainUnit unit of a number without a unit
   * @throws IllegalArgumentException that names the expected form
   */
  public static long parseMs(String text, TimeUnit plainUnit) {
    Matcher matcher = FORM.matcher(text.strip());
    TimeUnit unit = matcher.matches() ? unitOf(matcher.group(2), plainUnit) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a duration; expected for example 500ms, 10s, 2m, 1h, or a number"
              + " of "
              + plainUnit.name().toLowerCase(Locale.ROOT));
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit.toMillis(1));
    } catch (NumberFormatException | ArithmeticException tooLarge) {
      throw new IllegalArgumentException("\"" + text + "\" is too long a duration", tooLarge);
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
