package io.sluice.common.auth;

/** Cause of a failed call if the called process did not prove that it belongs to the cluster. */
public final class UnprovenPeerException extends Exception {
  private static final long serialVersionUID = 1L;

  UnprovenPeerException(String message) {
    super(message);
  }
}
