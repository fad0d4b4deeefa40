package io.sluice.cli.control;

import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import io.sluice.common.config.HostPort;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converters of sizes, times and addresses in options; formats are those of configuration files.
 */
public final class OptionTypes {

  private OptionTypes() {}

  /** Registers the converters that are used for all options of a type. */
  public static void register(CommandLine line) {
    line.registerConverter(DataSize.class, text -> converted(text, DataSize::parse));
    line.registerConverter(HostPort.class, text -> converted(text, HostPort::parse));
  }

  /** Converts a duration to milliseconds. */
  public static final class Millis implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return converted(text, value -> DurationText.parseMs(value, TimeUnit.MILLISECONDS));
    }
  }

  /** Returns the constant whose {@code toString} is {@code text}. */
  public static <E extends Enum<E>> E oneOf(E[] all, String text) {
    StringBuilder names = new StringBuilder();
    for (E each : all) {
      if (each.toString().equals(text)) {
        return each;
      }
      names.append(names.isEmpty() ? "" : ", ").append(each);
    }
    throw new TypeConversionException("expected one of " + names + ", found \"" + text + "\"");
  }

  private static <T> T converted(String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException wrong) {
      throw new TypeConversionException(wrong.getMessage());
    }
  }
}
