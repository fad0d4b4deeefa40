package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The newest credential of a process's application. Thread-safe. */
public final class ApplicationCredentials implements ConnectionCredentials {
  private volatile boolean required;
  private final AtomicReference<ApplicationCredential> newest = new AtomicReference<>();

  /** Empty on a cluster without authentication. */
  public Optional<ApplicationCredential> newest() {
    return Optional.ofNullable(newest.get());
  }

  /**
   * Requires a credential for all later connections, because the process or its driver has a
   * secret.
   */
  public void require() {
    required = true;
  }

  /** Whether connections need a credential. */
  public boolean isRequired() {
    return required;
  }

  /** The newest credential. The application is ignored: the process has only one. */
  @Override
  public Optional<ApplicationCredential> forConnection(String application) throws SluiceException {
    return forConnection();
  }

  /**
   * The newest credential, for a new connection.
   *
   * @return empty on a cluster without authentication
   * @throws SluiceException DENIED if a credential is required but missing
   */
  public Optional<ApplicationCredential> forConnection() throws SluiceException {
    Optional<ApplicationCredential> found = newest();
    if (found.isEmpty() && required) {
      throw new SluiceException(
          StatusCode.DENIED,
          "cannot connect without a token: the job has a user's secret, but no coordinator granted"
              + " a token for it");
    }
    return found;
  }

  /**
   * Replaces the credential, unless the present one was issued later, or is the same: it remembers
   * which servers it has verified.
   */
  public void update(ApplicationCredential credential) {
    newest.accumulateAndGet(
        credential,
        (before, now) ->
            before != null
                    && (before.issuedMs() > now.issuedMs() || before.token().equals(now.token()))
                ? before
                : now);
  }

  @Override
  public String toString() {
    return String.valueOf(newest.get());
  }
}
