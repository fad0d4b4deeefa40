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
 * of them is a failure. Errors on threads of other simulations do not count, so that several can
 * run at a time. Thread-safe.
 */
final class LoggedErrors extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final SimulatedThreads threads;
  private Throwable first;

  private LoggedErrors(SimulatedThreads threads) {
    this.threads = threads;
  }

  /** Collects errors that a simulation logs, until {@link #close}. */
  static LoggedErrors collect(SimulatedThreads threads) {
    LoggedErrors errors = new LoggedErrors(threads);
    errors.setContext(errors.root.getLoggerContext());
    errors.start();
    errors.root.addAppender(errors);
    return errors;
  }

  /** Threads that production classes start belong to all simulations. */
  private boolean isOfSimulation() {
    return threads.isCurrent() || !Carriers.own(Thread.currentThread());
  }

  @Override
  protected synchronized void append(ILoggingEvent event) {
    if (first == null
        && isOfSimulation()
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
