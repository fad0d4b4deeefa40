package io.sluice.server.cluster;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The lines that one class logs while a test runs. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;

  public LogLines(Class<?> source) {
    logger = (Logger) LoggerFactory.getLogger(source);
    start();
    logger.addAppender(this);
  }

  /** Lines as {@code LEVEL message}. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(event.getLevel() + " " + event.getFormattedMessage());
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    stop();
  }
}
