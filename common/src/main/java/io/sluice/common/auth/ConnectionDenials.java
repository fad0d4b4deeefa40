package io.sluice.common.auth;

import java.util.function.LongSupplier;

/**
 * Writes to the audit log which connections were turned away, one line a second at most.
 * Thread-safe.
 */
public final class ConnectionDenials {
  private final AuditLog audit;
  private final LineLimit lines;

  public ConnectionDenials(AuditLog audit, LongSupplier nanoTime) {
    this.audit = audit;
    this.lines = new LineLimit(nanoTime);
  }

  /**
   * A connection was turned away.
   *
   * @param application that was asked for, or empty
   * @param reason in words
   */
  public void denied(String peer, String application, String reason) {
    String text = lines.admit(reason);
    if (text != null) {
      audit.write(
          new AuditEntry(AuditEntry.Action.CONNECT, "DENIED", application, "", "", peer, text));
    }
  }
}
