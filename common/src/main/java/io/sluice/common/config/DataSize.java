package io.sluice.common.config;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes and its text form: {@code 64MiB}, {@code 1g}, {@code 512k}, {@code 1048576}.
 * Units are powers of 1024 in every spelling (k, kb and KiB are equal), as in Spark and Hadoop.
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
  private static final Pattern FORM = Pattern.compile("(-?[0-9]+(?:\\.[0-9]+)?)\\s*([a-zA-Z]*)");
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  public static DataSize ofKib(long count) {
    return new DataSize(Math.multiplyExact(count, 1L << 10));
  }

  public static DataSize ofMib(long count) {
    return new DataSize(Math.multiplyExact(count, 1L << 20));
  }

  public static DataSize ofGib(long count) {
    return new DataSize(Math.multiplyExact(count, 1L << 30));
  }

  /**
   * Parses a size; a number without a unit counts bytes.
   *
   * @throws IllegalArgumentException that names the expected form
   */
  public static DataSize parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    int power = matcher.matches() ? powerOf(matcher.group(2)) : -1;
    if (power < 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size; expected for example 64MiB, 1g, 512k or 1048576");
    }
    BigDecimal exact =
        new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << (10 * power)));
    try {
      return new DataSize(exact.longValueExact());
    } catch (ArithmeticException notWhole) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a whole number of bytes below 8 EiB", notWhole);
    }
  }

  private static int powerOf(String unit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "", "b" -> 0;
      case "k", "kb", "kib" -> 1;
      case "m", "mb", "mib" -> 2;
      case "g", "gb", "gib" -> 3;
      case "t", "tb", "tib" -> 4;
      case "p", "pb", "pib" -> 5;
      default -> -1;
    };
  }

  /** Rounded for display, with at most one decimal, such as {@code 1.5 GiB}. */
  public String toRoundedText() {
    int power = 0;
    double value = bytes;
    while (Math.abs(value) >= 1024 && power < UNITS.length - 1) {
      value /= 1024;
      power++;
    }
    return power == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, value < 100 ? "%.1f %s" : "%.0f %s", value, UNITS[power]);
  }

  /** The shortest exact form, which {@link #parse} reads back. */
  @Override
  public String toString() {
    int power = 0;
    long value = bytes;
    while (value != 0 && value % 1024 == 0 && power < UNITS.length - 1) {
      value /= 1024;
      power++;
    }
    return power == 0 ? Long.toString(bytes) : value + UNITS[power];
  }

  @Override
  public int compareTo(DataSize other) {
    return Long.compare(bytes, other.bytes);
  }
}
