package io.sluice.common.audit;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes to the audit log who was not let in, one line a second at most: a flood of connections
 * must not become a flood of lines. What was left out is counted in the next line. Thread-safe.
 */
public final class ConnectionDenials {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AuditLog audit;
  private final LongSupplier nanoTime;
  // Guarded by this.
  private long lastNanos;
  private boolean any;
  private long leftOut;

  public ConnectionDenials(AuditLog audit, LongSupplier nanoTime) {
    this.audit = audit;
    this.nanoTime = nanoTime;
  }

  /**
   * Somebody was turned away.
   *
   * @param application that was asked for, or empty
   * @param reason in words
   */
  public void denied(String peer, String application, String reason) {
    String text;
    synchronized (this) {
      long now = nanoTime.getAsLong();
      if (any && now - lastNanos < EVERY_NANOS) {
        leftOut++;
        return;
      }
      text = leftOut == 0 ? reason : reason + " (and " + leftOut + " more since the last line)";
      any = true;
      lastNanos = now;
      leftOut = 0;
    }
    audit.write(
        new AuditEntry(AuditEntry.Action.CONNECT, "DENIED", application, "", "", peer, text));
  }
}
