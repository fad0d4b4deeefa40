package io.sluice.server.background;

import java.io.IOException;

/** A merge was cancelled; this is not an error. */
final class MergeCancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  MergeCancelledException(String why) {
    super(why);
  }
}
