package io.sluice.common.auth;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes refused connections to the audit log, at most one line per second, and those beyond a
 * limit also to the log, because a limit may be too low. Thread-safe.
 */
public final class ConnectionDenials {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionDenials.class);

  private final AuditLog audit;
  private final LineLimit lines;
  private final LineLimit warnings;

  public ConnectionDenials(AuditLog audit, LongSupplier nanoTime) {
    this.audit = audit;
    this.lines = new LineLimit(nanoTime);
    this.warnings = new LineLimit(nanoTime);
  }

  /**
   * Writes a refused connection.
   *
   * @param application requested application, or empty
   * @param reason one-line reason
   */
  public void denied(String peer, String application, String reason) {
    String text = lines.admit(reason);
    if (text != null) {
      audit.write(
          new AuditEntry(AuditEntry.Action.CONNECT, "DENIED", application, "", "", peer, text));
    }
  }

  /**
   * Writes a connection that was refused because a limit is reached.
   *
   * @param application requested application, or empty
   * @param reason one line, with the limit and its key
   */
  public void beyondLimit(String peer, String application, String reason) {
    denied(peer, application, reason);
    String text = warnings.admit(reason);
    if (text != null) {
      LOG.warn("connection refused peer={} reason=\"{}\"", peer, text);
    }
  }
}
