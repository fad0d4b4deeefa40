package io.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.config.ConfigException;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Adapts the configuration of {@code logback.xml} to the command and its options. */
final class Logging {

  enum Target {
    OUT("System.out"),
    ERR("System.err");

    private final String consoleName;

    Target(String consoleName) {
      this.consoleName = consoleName;
    }
  }

  /** Values of {@code SLUICE_LOG_FORMAT}; also the names of the appenders. */
  private static final List<String> FORMATS = List.of("text", "json");

  private Logging() {}

  /** Fails on environment variables that {@code logback.xml} could not apply. */
  static void check(Logger root, Map<String, String> environment) {
    String format = environment.get("SLUICE_LOG_FORMAT");
    if (format != null && !FORMATS.contains(format)) {
      throw new ConfigException(
          List.of("SLUICE_LOG_FORMAT: expected text or json, found \"" + format + "\""));
    }
    String file = environment.get("SLUICE_AUDIT_FILE");
    if (file == null) {
      return;
    }
    Appender<ILoggingEvent> audit =
        root.getLoggerContext().getLogger(AuditLog.LOGGER).getAppender("audit");
    if (audit == null || !audit.isStarted()) {
      throw new ConfigException(
          List.of("SLUICE_AUDIT_FILE: \"" + file + "\" cannot be opened for writing"));
    }
  }

  /**
   * Sets log level and console stream.
   *
   * @param verbosity 0: as configured; 1: debug level for Sluice; 2 and more: debug level for
   *     libraries, too
   */
  static void configure(int verbosity, Target target) {
    if (!(LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root)) {
      return;
    }
    check(root, System.getenv());
    JavaLogging.install();
    for (String name : FORMATS) {
      if (root.getAppender(name) instanceof ConsoleAppender<ILoggingEvent> console) {
        console.stop();
        console.setTarget(target.consoleName);
        console.start();
      }
    }
    if (verbosity == 1) {
      root.getLoggerContext().getLogger("io.sluice").setLevel(Level.DEBUG);
    } else if (verbosity > 1) {
      for (String name : new String[] {org.slf4j.Logger.ROOT_LOGGER_NAME, "io.grpc", "io.netty"}) {
        root.getLoggerContext().getLogger(name).setLevel(Level.DEBUG);
      }
    }
  }
}
