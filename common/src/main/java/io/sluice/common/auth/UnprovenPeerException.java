package io.sluice.common.auth;

/** Cause of a call that failed because the called process did not prove that it belongs here. */
public final class UnprovenPeerException extends Exception {
  private static final long serialVersionUID = 1L;

  UnprovenPeerException(String message) {
    super(message);
  }
}
