package io.sluice.coordinator.api;

/** A request that is not answered with a resource. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * @param status of HTTP
   * @param detail one line: what was wrong and what would be right
   */
  public ApiException(int status, String detail, Throwable cause) {
    super(detail, cause);
    this.status = status;
  }

  public ApiException(int status, String detail) {
    this(status, detail, null);
  }

  public int status() {
    return status;
  }
}
