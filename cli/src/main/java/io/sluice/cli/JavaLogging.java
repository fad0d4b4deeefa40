package io.sluice.cli;

import io.sluice.common.error.PeerText;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards messages of java.util.logging, which gRPC uses, to Logback. Without it, they would be
 * written to standard error in another format. Thread-safe.
 */
final class JavaLogging extends Handler {
  /** Maximum length of a message, because some messages contain data that a peer sent. */
  private static final int MAX_LENGTH = 500;

  private final SimpleFormatter formatter = new SimpleFormatter();

  /** Replaces all handlers of the root logger. */
  static void install() {
    java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    root.addHandler(new JavaLogging());
  }

  @Override
  public void publish(LogRecord record) {
    Logger logger =
        LoggerFactory.getLogger(
            record.getLoggerName() == null ? "java.util.logging" : record.getLoggerName());
    String message = record.getMessage() == null ? "" : formatter.formatMessage(record);
    logger
        .atLevel(level(record.getLevel()))
        .setCause(record.getThrown())
        .log("{}", PeerText.clipped(message, MAX_LENGTH));
  }

  private static org.slf4j.event.Level level(Level level) {
    int value = level.intValue();
    if (value >= Level.SEVERE.intValue()) {
      return org.slf4j.event.Level.ERROR;
    }
    if (value >= Level.WARNING.intValue()) {
      return org.slf4j.event.Level.WARN;
    }
    return value >= Level.INFO.intValue()
        ? org.slf4j.event.Level.INFO
        : org.slf4j.event.Level.DEBUG;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
