package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The newest credential of the application that a process works for. Thread-safe. */
public final class ApplicationCredentials implements ConnectionCredentials {
  private volatile boolean required;
  private final AtomicReference<ApplicationCredential> newest = new AtomicReference<>();

  /** Empty on a cluster that asks for none. */
  public Optional<ApplicationCredential> newest() {
    return Optional.ofNullable(newest.get());
  }

  /**
   * From now on no connection may be made without a credential: the process, or its driver, has a
   * secret.
   */
  public void require() {
    required = true;
  }

  /** Whether connections must be proved. */
  public boolean isRequired() {
    return required;
  }

  /** The newest credential, whatever the application: the process works for one. */
  @Override
  public Optional<ApplicationCredential> forConnection(String application) throws SluiceException {
    return forConnection();
  }

  /**
   * The newest credential, for a connection that is about to be made.
   *
   * @return empty on a cluster that asks for none
   * @throws SluiceException DENIED if there is none although one is required
   */
  public Optional<ApplicationCredential> forConnection() throws SluiceException {
    Optional<ApplicationCredential> found = newest();
    if (found.isEmpty() && required) {
      throw new SluiceException(
          StatusCode.DENIED,
          "no connection without proof: the job has a user's secret, but no coordinator granted a"
              + " token for it");
    }
    return found;
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
