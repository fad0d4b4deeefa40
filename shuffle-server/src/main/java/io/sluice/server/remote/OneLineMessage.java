package io.sluice.server.remote;

/** Shortens exception messages to one line: Hadoop puts remote stack traces into messages. */
final class OneLineMessage {
  private OneLineMessage() {}

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
