package io.sluice.demo;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes in options, such as 5g, as configuration files write them; in bytes. */
final class ByteSize implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([kmgt]?)(i?b)?");

  /** Each is 1024 times the one before. */
  private static final String UNITS = "kmgt";

  @Override
  public Long convert(String text) {
    Matcher size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a size: expected a number with k, m, g or t, such as 5g");
    }
    int unit = size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2)) + 1;
    return Long.parseLong(size.group(1)) << (10 * unit);
  }
}
