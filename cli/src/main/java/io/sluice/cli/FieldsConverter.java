package io.sluice.cli;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Logback converter of the key-value pairs of an event: each is written as a blank and {@code
 * key=value}. Ambiguous values are quoted, and control characters are escaped so that an event
 * stays on one line.
 */
public final class FieldsConverter extends ClassicConverter {
  @Override
  public String convert(ILoggingEvent event) {
    List<KeyValuePair> fields = event.getKeyValuePairs();
    if (fields == null) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (KeyValuePair field : fields) {
      text.append(' ').append(field.key).append('=').append(shown(String.valueOf(field.value)));
    }
    return text.toString();
  }

  private static String shown(String value) {
    if (!value.isEmpty() && value.chars().allMatch(FieldsConverter::isPlain)) {
      return value;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int at = 0; at < value.length(); at++) {
      char c = value.charAt(at);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (MessageConverter.isControl(c)) {
        quoted.append(MessageConverter.escaped(c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private static boolean isPlain(int c) {
    return c > ' ' && c != '"' && c != '\\' && c != '=' && c < 0x7f;
  }
}
