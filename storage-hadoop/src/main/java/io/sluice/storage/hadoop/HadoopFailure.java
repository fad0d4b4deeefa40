package io.sluice.storage.hadoop;

import java.io.IOException;

/**
 * Reduces exceptions of Hadoop to one line: messages of a name node contain its complete stack
 * trace.
 */
final class HadoopFailure {
  private HadoopFailure() {}

  static IOException failure(String what, IOException cause) {
    return new IOException(what + ": " + of(cause), cause);
  }

  static String of(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    return message == null ? name : name + ": " + message.lines().findFirst().orElse("").strip();
  }
}
