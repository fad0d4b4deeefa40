package io.sluice.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The exceptions that production classes log as internal errors, and survive. In a simulation each
 * of them is a failure. A simulation and its threads have a thread group of their own, so that
 * several can run at a time. Thread-safe.
 */
final class LoggedErrors extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final ThreadGroup group = Thread.currentThread().getThreadGroup();
  private Throwable first;

  /** Collects errors of the caller's thread group until {@link #close}. */
  static LoggedErrors collect() {
    LoggedErrors errors = new LoggedErrors();
    errors.setContext(errors.root.getLoggerContext());
    errors.start();
    errors.root.addAppender(errors);
    return errors;
  }

  @Override
  protected synchronized void append(ILoggingEvent event) {
    if (first == null
        && Thread.currentThread().getThreadGroup() == group
        && event.getLevel().isGreaterOrEqual(Level.ERROR)
        && event.getThrowableProxy() instanceof ThrowableProxy logged
        && !(logged.getThrowable() instanceof SimulatedThreads.SimulationEnded)) {
      first = new AssertionError(event.getFormattedMessage(), logged.getThrowable());
    }
  }

  /** The first error. */
  synchronized Optional<Throwable> first() {
    return Optional.ofNullable(first);
  }

  @Override
  public void close() {
    root.detachAppender(this);
    stop();
  }
}
