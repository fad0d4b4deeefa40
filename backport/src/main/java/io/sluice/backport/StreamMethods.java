package io.sluice.backport;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Newer methods of {@link Stream}. */
@MethodsOf(Stream.class)
public final class StreamMethods {
  private StreamMethods() {}

  @SuppressWarnings("unchecked") // A stream of T has elements of type T.
  public static <T> List<T> toList(Stream<T> self) {
    return (List<T>) Collections.unmodifiableList(Arrays.asList(self.toArray()));
  }
}
