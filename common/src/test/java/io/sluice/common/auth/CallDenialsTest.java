package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.common.auth.DeniedCall.Cause;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CallDenialsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();
  private final CallDenials denials = new CallDenials(new AuditLog(), nanos::get);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
  }

  private void denied(String caller) {
    denials.denied(
        new DeniedCall(
            Cause.PERMISSION_DENIED, "S/M\r\n" + "x".repeat(1000), caller, "10.0.0.1:7", "no"));
  }

  private static String field(ILoggingEvent line, String key) {
    return line.getKeyValuePairs().stream()
        .filter(pair -> pair.key.equals(key))
        .map(pair -> String.valueOf(pair.value))
        .findFirst()
        .orElse("");
  }

  @Test
  void countsEveryCallAndWritesOneLineASecond() {
    for (int i = 0; i < 10_000; i++) {
      denied("");
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    denied("");

    assertThat(denials.count(Cause.PERMISSION_DENIED)).isEqualTo(10_001);
    assertThat(denials.count(Cause.UNAUTHENTICATED)).isZero();
    assertThat(lines.list).hasSize(2);
    assertThat(field(lines.list.get(1), "reason"))
        .isEqualTo("no (and 9999 more since the last line)");
    assertThat(field(lines.list.get(0), "action")).isEqualTo("call");
    assertThat(field(lines.list.get(0), "outcome")).isEqualTo("PERMISSION_DENIED");
    assertThat(field(lines.list.get(0), "call")).startsWith("S/M  xxx").hasSize(100);
  }

  @Test
  void aFloodOfAnonymousCallsDoesNotHideCallsOfAUser() {
    denied("");
    denied("");
    denied("user bob");

    assertThat(lines.list).hasSize(2);
    assertThat(field(lines.list.get(1), "user")).isEqualTo("user bob");
  }
}
