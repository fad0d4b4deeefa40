package io.sluice.backport;

import java.util.Collection;
import java.util.function.IntFunction;

/** Newer methods of {@link Collection}. */
@MethodsOf(Collection.class)
public final class CollectionMethods {
  private CollectionMethods() {}

  public static <T> T[] toArray(Collection<?> self, IntFunction<T[]> generator) {
    return self.toArray(generator.apply(0));
  }
}
