package io.sluice.common.auth;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The newest credential of the application that a process works for. Thread-safe. */
public final class ApplicationCredentials {
  private final AtomicReference<ApplicationCredential> newest = new AtomicReference<>();

  /** Empty on a cluster that asks for none. */
  public Optional<ApplicationCredential> newest() {
    return Optional.ofNullable(newest.get());
  }

  /** Keeps a credential, unless one that lasts longer is there. */
  public void learn(ApplicationCredential credential) {
    newest.accumulateAndGet(
        credential,
        (before, now) -> before != null && before.expiryMs() > now.expiryMs() ? before : now);
  }

  @Override
  public String toString() {
    return String.valueOf(newest.get());
  }
}
