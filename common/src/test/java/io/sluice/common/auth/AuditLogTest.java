package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  @Test
  void writesKnownFieldsAndOmitsUnknownOnes() {
    new AuditLog()
        .write(
            new AuditEntry(
                AuditEntry.Action.REGISTER, "DENIED", "app-1", "ann", "", "10.0.0.7:41", "quota"));

    assertThat(lines.list).hasSize(1);
    assertThat(lines.list.get(0).getMessage()).isEqualTo("audit");
    assertThat(lines.list.get(0).getKeyValuePairs())
        .extracting(pair -> pair.key + "=" + pair.value)
        .containsExactly(
            "action=register",
            "outcome=DENIED",
            "application=app-1",
            "user=ann",
            "peer=10.0.0.7:41",
            "reason=quota");
  }

  @Test
  void aHugeNameDoesNotMakeAHugeLine() {
    new AuditLog()
        .write(AuditEntry.happened(AuditEntry.Action.EXPIRE, "a".repeat(100_000), "LEASE_OUT"));

    assertThat(lines.list.get(0).getKeyValuePairs().get(2).value.toString()).hasSize(501);
  }
}
