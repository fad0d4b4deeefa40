package io.sluice.common.auth;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes the audit log, a separate logger, so that it can have its own appender. Text from a peer
 * is written as fields, never in the message.
 */
public final class AuditLog {
  /** Name of the logger. */
  public static final String LOGGER = "sluice.audit";

  /** Longer values are cut; no legitimate value is longer. */
  private static final int MAX_LENGTH = 500;

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  public void write(AuditEntry entry) {
    LoggingEventBuilder line =
        log.atInfo()
            .addKeyValue("action", entry.action().name().toLowerCase(Locale.ROOT))
            .addKeyValue("outcome", entry.outcome());
    add(line, "application", entry.application());
    add(line, "user", entry.user());
    add(line, "shuffle", entry.shuffle());
    add(line, "peer", entry.peer());
    add(line, "reason", entry.reason());
    line.log("audit");
  }

  /** An admin operation. */
  public void write(AdminEntry entry) {
    LoggingEventBuilder line =
        log.atInfo().addKeyValue("action", "admin").addKeyValue("outcome", entry.outcome());
    add(line, "call", entry.call());
    add(line, "user", entry.caller());
    add(line, "peer", entry.peer());
    add(line, "reason", entry.reason());
    line.log("audit");
  }

  /** A call that was denied. */
  void write(DeniedCall denied) {
    LoggingEventBuilder line =
        log.atInfo().addKeyValue("action", "call").addKeyValue("outcome", denied.cause().name());
    add(line, "call", denied.call());
    add(line, "user", denied.caller());
    add(line, "peer", denied.peer());
    add(line, "reason", denied.reason());
    line.log("audit");
  }

  private static void add(LoggingEventBuilder line, String key, String value) {
    if (!value.isEmpty()) {
      // The builder is mutable.
      LoggingEventBuilder unused =
          line.addKeyValue(
              key, value.length() <= MAX_LENGTH ? value : value.substring(0, MAX_LENGTH) + "…");
    }
  }
}
