package io.sluice.common.auth;

import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.error.PeerText;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Counts the denied calls of one port and writes them to the audit log. At most one line per second
 * is written for anonymous callers, and one for known callers. A flood of anonymous calls therefore
 * does not hide the calls of a user. Thread-safe.
 */
public final class CallDenials {
  private static final int MAX_CALL_LENGTH = 100;

  private final AuditLog audit;
  private final LineLimit unknownCallers;
  private final LineLimit knownCallers;
  private final Map<Cause, LongAdder> counts =
      Arrays.stream(Cause.values())
          .collect(
              Collectors.toMap(
                  cause -> cause,
                  cause -> new LongAdder(),
                  (one, other) -> one,
                  () -> new EnumMap<>(Cause.class)));

  public CallDenials(AuditLog audit, LongSupplier nanoTime) {
    this.audit = audit;
    this.unknownCallers = new LineLimit(nanoTime);
    this.knownCallers = new LineLimit(nanoTime);
  }

  /** Counts a denied call without writing it, such as the requests of any browser page. */
  public void counted(Cause cause) {
    counts.get(cause).increment();
  }

  public void denied(DeniedCall call) {
    counted(call.cause());
    String reason = (call.caller().isEmpty() ? unknownCallers : knownCallers).admit(call.reason());
    if (reason != null) {
      audit.write(
          new DeniedCall(
              call.cause(),
              PeerText.clipped(call.call(), MAX_CALL_LENGTH),
              call.caller(),
              call.peer(),
              reason));
    }
  }

  /** Number of calls that were denied for a cause. */
  public long count(Cause cause) {
    return counts.get(cause).sum();
  }
}
