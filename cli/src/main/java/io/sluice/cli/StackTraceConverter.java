package io.sluice.cli;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.regex.Pattern;

/**
 * Logback converter of stack traces. All lines after the first, which begins with a class name, are
 * indented. So an exception message with text from a peer cannot forge a log line.
 */
public final class StackTraceConverter extends ThrowableProxyConverter {
  private static final Pattern OTHER_LINE_ENDS = Pattern.compile("[\\r\\u0085\\u2028\\u2029]");
  private static final Pattern NOT_INDENTED = Pattern.compile("\\n(?=[^\\t\\n])");

  @Override
  public String convert(ILoggingEvent event) {
    String trace = OTHER_LINE_ENDS.matcher(super.convert(event)).replaceAll(" ");
    return NOT_INDENTED.matcher(trace).replaceAll("\n\t");
  }
}
