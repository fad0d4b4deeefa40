package io.sluice.server.remote;

/** Makes one line of failures: Hadoop puts a remote server's stack trace into messages. */
final class OneLine {
  private OneLine() {}

  static String of(Throwable failure) {
    Throwable shown = failure;
    while (shown.getMessage() == null && shown.getCause() != null) {
      shown = shown.getCause();
    }
    String name = shown.getClass().getSimpleName();
    return shown.getMessage() == null
        ? name
        : name + ": " + shown.getMessage().lines().findFirst().orElse("").strip();
  }
}
