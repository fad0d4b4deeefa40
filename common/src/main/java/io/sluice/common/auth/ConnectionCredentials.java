package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import java.util.Optional;

/** Credentials of applications for the data connections of a process. Thread-safe. */
@FunctionalInterface
public interface ConnectionCredentials {
  /** For a cluster without authentication. */
  ConnectionCredentials NONE = application -> Optional.empty();

  /**
   * The newest credential, for a new connection.
   *
   * @return empty if connections are not authenticated
   * @throws SluiceException DENIED if a credential is required but missing
   */
  Optional<ApplicationCredential> forConnection(String application) throws SluiceException;
}
