package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ConnectionDenialsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final ConnectionDenials denials = new ConnectionDenials(new AuditLog(), nanos::get);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
  }

  @Test
  void writesOneLineASecondAndCountsSuppressedLines() {
    for (int i = 0; i < 100; i++) {
      denials.denied("10.0.0.1:" + i, "app", "too many");
    }
    assertThat(lines.list).hasSize(1);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    denials.denied("10.0.0.1:7", "", "too many");
    assertThat(lines.list).hasSize(2);
    assertThat(lines.list.get(1).getKeyValuePairs())
        .anyMatch(
            pair ->
                pair.key.equals("reason")
                    && pair.value.equals("too many (and 99 more since the last line)"))
        .noneMatch(pair -> pair.key.equals("application"));
  }
}
