package io.sluice.server.background;

import java.io.IOException;

/** A merge is given up; nothing is wrong. */
final class MergeCancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  MergeCancelledException(String why) {
    super(why);
  }
}
