package io.sluice.coordinator.api;

import io.sluice.common.error.PeerText;

/** A request that is not answered with a resource. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String allow;

  /**
   * @param status of HTTP
   * @param detail one line: what was wrong and what would be right
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
   * Of a path that knows other methods.
   *
   * @param allow those, as in the header of HTTP
   */
  static ApiException notAllowed(String method, String allow) {
    return new ApiException(
        PeerText.quoted(method) + " is not understood here, only " + allow, allow);
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
