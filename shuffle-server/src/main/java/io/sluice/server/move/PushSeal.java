package io.sluice.server.move;

/** Ends the taking of pushes, so that nothing comes after the last pass of a copy. Thread-safe. */
public interface PushSeal {
  /**
   * Refuses pushes from now on. When this returns, none that was taken is still on its way into its
   * log. Idempotent.
   */
  void seal();

  /** Takes pushes again. Idempotent. */
  void unseal();
}
