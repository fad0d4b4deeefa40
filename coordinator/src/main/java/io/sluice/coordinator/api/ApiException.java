package io.sluice.coordinator.api;

import io.sluice.common.error.PeerText;

/** An error answer of the REST API. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String allow;

  /**
   * @param status HTTP status
   * @param detail one line: what was found and what was expected
   */
  public ApiException(int status, String detail, Throwable cause) {
    super(detail, cause);
    this.status = status;
    this.allow = "";
  }

  private ApiException(String detail, String allow) {
    super(detail);
    this.status = 405;
    this.allow = allow;
  }

  /**
   * Returns the error for a path that does not support a method.
   *
   * @param allow supported methods, as in the Allow header
   */
  static ApiException notAllowed(String method, String allow) {
    return new ApiException(
        "method " + PeerText.quoted(method) + " is not allowed for this path, only " + allow,
        allow);
  }

  String allow() {
    return allow;
  }

  public ApiException(int status, String detail) {
    this(status, detail, null);
  }

  public int status() {
    return status;
  }
}
