package io.sluice.backport;

import java.util.Objects;

/** Newer methods of {@link Objects}. */
@MethodsOf(Objects.class)
public final class ObjectsMethods {
  private ObjectsMethods() {}

  public static int checkFromIndexSize(int from, int size, int length) {
    if ((length | from | size) < 0 || size > length - from) {
      throw new IndexOutOfBoundsException(
          "Range [" + from + ", " + from + " + " + size + ") out of bounds for length " + length);
    }
    return from;
  }
}
