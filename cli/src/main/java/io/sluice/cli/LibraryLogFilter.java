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
 * Lets one line a second through of each logger of gRPC and Netty, which write a warning, often
 * with a stack trace, for what a peer does wrong. The next line says how many were left out.
 * Thread-safe.
 */
public final class LibraryLogFilter extends Filter<ILoggingEvent> {
  private final Map<String, LineLimit> limits = new ConcurrentHashMap<>();

  @Override
  public FilterReply decide(ILoggingEvent event) {
    String name = event.getLoggerName();
    if (!name.startsWith("io.grpc.") && !name.startsWith("io.netty.")) {
      return FilterReply.NEUTRAL;
    }
    // Loggers are named by code, so that there are few.
    long leftOut = limits.computeIfAbsent(name, unused -> new LineLimit(System::nanoTime)).next();
    if (leftOut < 0) {
      return FilterReply.DENY;
    }
    if (leftOut > 0 && event instanceof LoggingEvent own) {
      own.addKeyValuePair(new KeyValuePair("leftOut", leftOut));
    }
    return FilterReply.NEUTRAL;
  }
}
