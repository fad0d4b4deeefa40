package io.sluice.cli;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Logback converter of stack traces. All lines after the first, which begins with a class name, are
 * indented. So an exception message with text from a peer cannot forge a log line. An exception of
 * the network that a library logs has its first line only, because any peer can cause it each
 * second.
 */
public final class StackTraceConverter extends ThrowableProxyConverter {
  private static final Pattern OTHER_LINE_ENDS = Pattern.compile("[\\r\\u0085\\u2028\\u2029]");
  private static final Pattern NOT_INDENTED = Pattern.compile("\\n(?=[^\\t\\n])");
  private static final List<String> OF_NETWORK =
      List.of("io.grpc.", "io.netty.", "java.io.", "java.net.", "java.nio.", "javax.net.ssl.");

  @Override
  public String convert(ILoggingEvent event) {
    String trace = OTHER_LINE_ENDS.matcher(super.convert(event)).replaceAll(" ");
    if (isOfNetwork(event)) {
      return trace.substring(0, trace.indexOf('\n') + 1);
    }
    return NOT_INDENTED.matcher(trace).replaceAll("\n\t");
  }

  private static boolean isOfNetwork(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return thrown != null
        && LibraryLogFilter.isOfLibrary(event.getLoggerName())
        && OF_NETWORK.stream().anyMatch(thrown.getClassName()::startsWith);
  }
}
