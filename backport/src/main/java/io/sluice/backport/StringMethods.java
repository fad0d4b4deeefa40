package io.sluice.backport;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Newer methods of {@link String}. */
@MethodsOf(String.class)
public final class StringMethods {
  private StringMethods() {}

  @SuppressWarnings("AnnotateFormatMethod") // Callers were checked against the JDK's method.
  public static String formatted(String self, Object... arguments) {
    return String.format(self, arguments);
  }

  public static boolean isBlank(String self) {
    return start(self) == self.length();
  }

  public static String strip(String self) {
    int start = start(self);
    int end = self.length();
    while (end > start && Character.isWhitespace(self.codePointBefore(end))) {
      end -= Character.charCount(self.codePointBefore(end));
    }
    return self.substring(start, end);
  }

  /** Index of the first code point that is not white space. */
  private static int start(String text) {
    int start = 0;
    while (start < text.length() && Character.isWhitespace(text.codePointAt(start))) {
      start += Character.charCount(text.codePointAt(start));
    }
    return start;
  }

  /** Splits at once, where the JDK's method splits as the stream is read. */
  public static Stream<String> lines(String self) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    while (start < self.length()) {
      int end = start;
      while (end < self.length() && self.charAt(end) != '\n' && self.charAt(end) != '\r') {
        end++;
      }
      lines.add(self.substring(start, end));
      start = self.startsWith("\r\n", end) ? end + 2 : end + 1;
    }
    return lines.stream();
  }
}
