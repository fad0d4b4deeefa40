package io.sluice.server.service;

/**
 * Ends the admission of pushes to a leaving server, so that its last copy is complete. Thread-safe.
 */
public interface PushSeal {
  /**
   * Refuses pushes with LEAVING from now on. When this method returns, every push that was admitted
   * is in its log. Idempotent.
   */
  void seal();

  /** Admits pushes again. Idempotent. */
  void unseal();
}
