package io.sluice.backport;

import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Newer methods of {@link Optional}. */
@MethodsOf(Optional.class)
public final class OptionalMethods {
  private OptionalMethods() {}

  public static boolean isEmpty(Optional<?> self) {
    return !self.isPresent();
  }

  @SuppressWarnings("unchecked") // An optional cannot change, so one of a subtype is one of T.
  public static <T> Optional<T> or(
      Optional<T> self, Supplier<? extends Optional<? extends T>> supplier) {
    return self.isPresent() ? self : Objects.requireNonNull((Optional<T>) supplier.get());
  }

  public static <T> T orElseThrow(Optional<T> self) {
    return self.orElseThrow(() -> new NoSuchElementException("No value present"));
  }

  public static <T> Stream<T> stream(Optional<T> self) {
    return self.isPresent() ? Stream.of(self.get()) : Stream.empty();
  }
}
