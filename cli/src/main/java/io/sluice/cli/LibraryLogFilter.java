package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.sluice.common.auth.LineLimit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.event.KeyValuePair;

/**
 * Limits each logger of gRPC, Netty and Ratis to one event per second, because they log a warning,
 * often with a stack trace, for every invalid message of a peer or every failed call. The next
 * event has the number of dropped events as {@code leftOut}. Thread-safe.
 */
public final class LibraryLogFilter extends Filter<ILoggingEvent> {
  private final Map<String, LineLimit> limits = new ConcurrentHashMap<>();

  static boolean isOfLibrary(String logger) {
    return logger.startsWith("io.grpc.")
        || logger.startsWith("io.netty.")
        || logger.startsWith("org.apache.ratis.");
  }

  @Override
  public FilterReply decide(ILoggingEvent event) {
    String name = event.getLoggerName();
    if (!isOfLibrary(name)) {
      return FilterReply.NEUTRAL;
    }
    // Bounded: logger names are class names.
    long leftOut = limits.computeIfAbsent(name, unused -> new LineLimit(System::nanoTime)).next();
    if (leftOut < 0) {
      return FilterReply.DENY;
    }
    if (leftOut > 0 && event instanceof LoggingEvent logged) {
      logged.addKeyValuePair(new KeyValuePair("leftOut", leftOut));
    }
    return FilterReply.NEUTRAL;
  }
}
