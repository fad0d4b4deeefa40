package io.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.LoggerFactory;

/** Adjusts what {@code logback.xml} set up to the command that runs. */
final class Logging {

  enum Target {
    OUT("System.out"),
    ERR("System.err");

    private final String consoleName;

    Target(String consoleName) {
      this.consoleName = consoleName;
    }
  }

  private Logging() {}

  /**
   * Sets level and target.
   *
   * @param verbosity 0: as configured, 1: debug of our classes, 2 and more: debug of everything
   */
  static void configure(int verbosity, Target target) {
    if (!(LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root)) {
      return;
    }
    Appender<ILoggingEvent> appender = root.getAppender("console");
    if (appender instanceof ConsoleAppender<ILoggingEvent> console) {
      console.stop();
      console.setTarget(target.consoleName);
      console.start();
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
