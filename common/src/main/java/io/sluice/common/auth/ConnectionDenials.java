package io.sluice.common.auth;

import java.util.function.LongSupplier;

/** Writes refused connections to the audit log, at most one line per second. Thread-safe. */
public final class ConnectionDenials {
  private final AuditLog audit;
  private final LineLimit lines;

  public ConnectionDenials(AuditLog audit, LongSupplier nanoTime) {
    this.audit = audit;
    this.lines = new LineLimit(nanoTime);
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
}
