package io.sluice.cli;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/**
 * Logback converter that escapes control characters in messages, so that an event stays on one
 * line.
 */
public final class MessageConverter extends ClassicConverter {
  @Override
  public String convert(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    if (message == null || message.chars().noneMatch(MessageConverter::isControl)) {
      return message;
    }
    StringBuilder escaped = new StringBuilder();
    message.chars().forEach(c -> append(escaped, (char) c));
    return escaped.toString();
  }

  /** True for line separators and for characters that a terminal interprets. */
  static boolean isControl(int c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }

  private static void append(StringBuilder text, char c) {
    switch (c) {
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      case '\t' -> text.append(c);
      default -> {
        if (isControl(c)) {
          text.append(escaped(c));
        } else {
          text.append(c);
        }
      }
    }
  }

  static String escaped(char c) {
    return String.format("\\u%04x", (int) c);
  }
}
