package io.sluice.common.auth;

/**
 * A control call, or a request of the REST API, that ended before its service saw it.
 *
 * @param call full name of the method, or HTTP method and path
 * @param caller as proved; empty: not known
 * @param peer address and port of the caller
 * @param reason in one line
 */
public record DeniedCall(Cause cause, String call, String caller, String peer, String reason) {

  /** Why. Names are label values of a metric and outcomes in the audit log. */
  public enum Cause {
    /** It brought a proof that proves nobody. */
    UNAUTHENTICATED,
    /** Its caller may not make it. */
    PERMISSION_DENIED,
    /** Its request is not a message of its method. */
    MALFORMED,
    /** Its request is longer than any that is of use. */
    TOO_LARGE,
    /** Its request was not there, or its reply not taken, within the time of a call. */
    TOO_SLOW
  }
}
