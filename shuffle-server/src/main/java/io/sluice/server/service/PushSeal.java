package io.sluice.server.service;

/**
 * Stops the admission of pushes to a server that is being decommissioned, so that the last copy of
 * its data is complete. Thread-safe.
 */
public interface PushSeal {
  /**
   * Refuses all further pushes with LEAVING. When this method returns, every admitted push is in
   * its log. Idempotent.
   */
  void seal();

  /** Admits pushes again. Idempotent. */
  void unseal();
}
