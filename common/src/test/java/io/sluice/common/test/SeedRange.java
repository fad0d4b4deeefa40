package io.sluice.common.test;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Seeds of random tests, from a system property: one seed as {@code 5}, or a range as {@code 1-20}.
 *
 * @param first first seed
 * @param last last seed, not before the first one
 */
public record SeedRange(long first, long last) {
  /** At most 18 digits, so that each number is a {@code long}. */
  private static final Pattern SYNTAX = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

  /**
   * Reads a system property.
   *
   * @param value used if the property is not set
   * @throws IllegalArgumentException if the property is neither a seed nor a range
   */
  public static SeedRange ofProperty(String name, String value) {
    return parse(name, System.getProperty(name, value));
  }

  /**
   * Parses the value of a property.
   *
   * @throws IllegalArgumentException if it is neither a seed nor a range
   */
  public static SeedRange parse(String name, String value) {
    Matcher found = SYNTAX.matcher(value.strip());
    if (found.matches()) {
      long first = Long.parseLong(found.group(1));
      long last = found.group(2) == null ? first : Long.parseLong(found.group(2));
      if (first <= last) {
        return new SeedRange(first, last);
      }
    }
    throw new IllegalArgumentException(
        name + "=" + value + ": expected a seed or an ascending range, such as 5 or 1-20");
  }

  /** All seeds, in order. */
  public LongStream seeds() {
    return LongStream.rangeClosed(first, last);
  }
}
