package io.sluice.coordinator.cluster;

import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.Revocation.Subject;
import io.sluice.common.auth.Revocations;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Revocations of tokens, in the order of their times. Immutable. Expired ones are removed when
 * another one is added.
 */
public final class RevocationTable {
  public static final RevocationTable EMPTY = new RevocationTable(new LinkedHashMap<>());

  /** Ascending times; never changed after construction. */
  private final Map<Subject, Revocation> bySubject;

  private RevocationTable(Map<Subject, Revocation> bySubject) {
    this.bySubject = bySubject;
  }

  /** All revocations, expired ones included. */
  public Collection<Revocation> all() {
    return Collections.unmodifiableCollection(bySubject.values());
  }

  /** The revocations that have not expired at {@code atMs}. */
  public List<Revocation> inForceAt(long atMs) {
    return bySubject.values().stream().filter(one -> one.expiryMs() > atMs).toList();
  }

  /**
   * Number that differs between lists: the time of the latest revocation, which is unique. 0: the
   * list is empty.
   */
  public long revision() {
    long latestMs = 0;
    for (Revocation revocation : bySubject.values()) {
      latestMs = Math.max(latestMs, revocation.revokedAtMs());
    }
    return latestMs;
  }

  /** Whether a revocation of a subject can be added, without removing another one in force. */
  public boolean hasRoom(Subject subject, long atMs) {
    return inForceAt(atMs).stream().filter(one -> !one.subject().equals(subject)).count()
        < Revocations.MAX_OF_COORDINATOR;
  }

  /** Returns this table with a revocation that is later than all others. */
  public RevocationTable with(Revocation revocation) {
    Map<Subject, Revocation> changed = new LinkedHashMap<>(bySubject);
    changed.values().removeIf(one -> one.expiryMs() <= revocation.revokedAtMs());
    changed.remove(revocation.subject());
    changed.put(revocation.subject(), revocation);
    return new RevocationTable(changed);
  }
}
