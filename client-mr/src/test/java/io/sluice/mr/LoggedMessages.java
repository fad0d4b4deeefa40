package io.sluice.mr;

import java.util.ArrayList;
import java.util.List;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** Records the messages that a class logs. */
public final class LoggedMessages {
  private LoggedMessages() {}

  /** Code that may log. */
  public interface Action {
    void run() throws Exception;
  }

  /** Messages that {@code source} logs at {@code level} or above while {@code action} runs. */
  public static List<String> of(Class<?> source, Level level, Action action) throws Exception {
    List<String> messages = new ArrayList<>();
    AppenderSkeleton appender =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(level)) {
              messages.add(event.getRenderedMessage());
            }
          }

          @Override
          public void close() {}

          @Override
          public boolean requiresLayout() {
            return false;
          }
        };
    Logger logger = Logger.getLogger(source);
    logger.addAppender(appender);
    try {
      action.run();
    } finally {
      logger.removeAppender(appender);
    }
    return messages;
  }
}
