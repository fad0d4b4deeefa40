package io.sluice.common.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Parser and printer of one type of configuration value.
 *
 * @param form description of valid values, for the documentation
 * @param parser throws IllegalArgumentException that names the expected form
 */
record ValueType<T>(String form, Function<String, T> parser, Function<T, String> printer) {

  static ValueType<String> string() {
    return new ValueType<>("text", text -> text, text -> text);
  }

  static ValueType<Integer> integer() {
    return new ValueType<>(
        "whole number",
        text -> {
          try {
            return Integer.valueOf(text);
          } catch (NumberFormatException malformed) {
            throw notA(text, "a whole number", malformed);
          }
        },
        Object::toString);
  }

  static ValueType<Long> longNumber() {
    return new ValueType<>(
        "whole number",
        text -> {
          try {
            return Long.valueOf(text);
          } catch (NumberFormatException malformed) {
            throw notA(text, "a whole number", malformed);
          }
        },
        Object::toString);
  }

  static ValueType<Boolean> bool() {
    return new ValueType<>(
        "true or false",
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> true;
              case "false" -> false;
              default ->
                  throw new IllegalArgumentException("\"" + text + "\" is not true or false");
            },
        Object::toString);
  }

  static <E extends Enum<E>> ValueType<E> enumeration(Class<E> type) {
    String names =
        Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", "));
    return new ValueType<>(
        "one of " + names,
        text -> {
          String wanted = text.toUpperCase(Locale.ROOT).replace('-', '_');
          for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(wanted)) {
              return constant;
            }
          }
          throw new IllegalArgumentException("\"" + text + "\" is not one of " + names);
        },
        Enum::name);
  }

  static ValueType<Long> dataSize() {
    return new ValueType<>(
        "size", text -> DataSize.parse(text).bytes(), bytes -> new DataSize(bytes).toString());
  }

  static ValueType<Long> durationMs(TimeUnit plainUnit) {
    String form =
        plainUnit == TimeUnit.MILLISECONDS
            ? "time"
            : "time; a number without a unit counts " + plainUnit.name().toLowerCase(Locale.ROOT);
    return new ValueType<>(
        form, text -> DurationText.parseMs(text, plainUnit), DurationText::print);
  }

  static ValueType<Double> decimal() {
    return new ValueType<>("number", ValueType::parseDecimal, ValueType::printDecimal);
  }

  static ValueType<Double> percent() {
    return new ValueType<>(
        "percent",
        text -> parseDecimal(text.endsWith("%") ? text.substring(0, text.length() - 1) : text),
        ValueType::printDecimal);
  }

  static <E> ValueType<List<E>> listOf(
      String form, Function<String, E> parser, Function<E, String> printer) {
    return new ValueType<>(
        form,
        text -> {
          List<E> values = new ArrayList<>();
          for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
              values.add(parser.apply(part.strip()));
            }
          }
          return List.copyOf(values);
        },
        values -> values.stream().map(printer).collect(Collectors.joining(",")));
  }

  private static double parseDecimal(String text) {
    try {
      double value = Double.parseDouble(text.strip());
      if (Double.isFinite(value)) {
        return value;
      }
      throw new IllegalArgumentException("\"" + text + "\" is not a finite number");
    } catch (NumberFormatException malformed) {
      throw notA(text, "a number", malformed);
    }
  }

  private static String printDecimal(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static IllegalArgumentException notA(String text, String what, Throwable cause) {
    return new IllegalArgumentException("\"" + text + "\" is not " + what, cause);
  }
}
