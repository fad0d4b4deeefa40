package io.sluice.common.auth;

import io.sluice.common.auth.Revocation.Kind;
import io.sluice.common.auth.Revocation.Subject;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The revocations that a process knows: a coordinator its own, a server those of all coordinators.
 * A revocation is never removed before its expiry, so that a coordinator that was restarted without
 * its metadata log does not make a token valid again. Thread-safe.
 */
public final class Revocations {
  /** Maximum number of revocations of one coordinator. */
  public static final int MAX_OF_COORDINATOR = 1_000;

  /** Maximum number of revocations; beyond it, the earliest are dropped. */
  static final int MAX = 8 * MAX_OF_COORDINATOR;

  private final Clock clock;
  private volatile Map<Subject, Revocation> bySubject = Map.of();

  public Revocations(Clock clock) {
    this.clock = clock;
  }

  /** Adds revocations. The latest one of each subject applies. */
  public synchronized void add(Collection<Revocation> more) {
    long nowMs = clock.millis();
    Map<Subject, Revocation> merged = new HashMap<>(bySubject);
    for (Revocation revocation : more) {
      merged.merge(
          revocation.subject(),
          revocation,
          (a, b) ->
              new Revocation(
                  a.subject(),
                  Math.max(a.revokedAtMs(), b.revokedAtMs()),
                  Math.max(a.expiryMs(), b.expiryMs())));
    }
    merged.values().removeIf(revocation -> revocation.expiryMs() <= nowMs);
    if (merged.size() > MAX) {
      List<Revocation> earliest =
          merged.values().stream()
              .sorted(Comparator.comparingLong(Revocation::revokedAtMs))
              .limit(merged.size() - MAX)
              .toList();
      earliest.forEach(revocation -> merged.remove(revocation.subject()));
    }
    bySubject = Map.copyOf(merged);
  }

  /**
   * The revocation that refuses a token.
   *
   * @param issuedMs time of issue in milliseconds since 1970
   * @return null if the token is not revoked
   */
  Revocation refusing(String user, String application, long issuedMs) {
    Map<Subject, Revocation> current = bySubject;
    if (current.isEmpty()) {
      return null;
    }
    Revocation ofUser = current.get(new Subject(Kind.USER, user));
    if (ofUser != null && issuedMs <= ofUser.revokedAtMs()) {
      return ofUser;
    }
    Revocation ofApplication = current.get(new Subject(Kind.APPLICATION, application));
    return ofApplication != null && issuedMs <= ofApplication.revokedAtMs() ? ofApplication : null;
  }

  /** Number of revocations. */
  public int size() {
    return bySubject.size();
  }
}
