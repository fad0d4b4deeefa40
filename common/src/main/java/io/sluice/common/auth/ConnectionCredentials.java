package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import java.util.Optional;

/** What proves an application on data connections that a process makes. Thread-safe. */
@FunctionalInterface
public interface ConnectionCredentials {
  /** For a cluster that asks for no proof. */
  ConnectionCredentials NONE = application -> Optional.empty();

  /**
   * The newest credential, for a connection that is about to be made.
   *
   * @return empty where connections prove nothing
   * @throws SluiceException DENIED if there is none although one is required
   */
  Optional<ApplicationCredential> forConnection(String application) throws SluiceException;
}
