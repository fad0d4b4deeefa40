package io.sluice.demo.staging;

/** Failure of the demo; the message is one line for the user. */
public final class DemoException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Kind of failure; determines the exit code. */
  public enum Kind {
    /** Invalid options or environment. */
    USAGE,
    /** A process or program failed. */
    FAILED
  }

  private final Kind kind;

  private DemoException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public static DemoException usage(String message) {
    return new DemoException(Kind.USAGE, message, null);
  }

  public static DemoException failed(String message) {
    return new DemoException(Kind.FAILED, message, null);
  }

  public static DemoException failed(String message, Throwable cause) {
    return new DemoException(Kind.FAILED, message, cause);
  }

  public Kind kind() {
    return kind;
  }
}
