package io.sluice.common.auth;

/**
 * A control call or REST request that was denied before it reached its service.
 *
 * @param call full name of the method, or HTTP method and path
 * @param caller authenticated caller; empty: anonymous
 * @param peer address and port of the caller
 * @param reason one-line reason
 */
public record DeniedCall(Cause cause, String call, String caller, String peer, String reason) {

  /** Cause of the denial. Names are label values of a metric and outcomes in the audit log. */
  public enum Cause {
    /** The proof is not valid. */
    UNAUTHENTICATED,
    /** The caller has no permission for the call. */
    PERMISSION_DENIED,
    /** The request is not a message of the method. */
    MALFORMED,
    /** The request exceeds the size limit of the method. */
    TOO_LARGE,
    /** The request did not arrive, or the reply was not read, within the time limit of a call. */
    TOO_SLOW
  }
}
