package io.sluice.backport;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/** Newer methods of {@link Set}. */
@MethodsOf(Set.class)
public final class SetMethods {
  private SetMethods() {}

  public static <E> Set<E> of() {
    return Collections.unmodifiableSet(new LinkedHashSet<>());
  }

  public static <E> Set<E> of(E e1) {
    return copyOf(Collections.singleton(e1));
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // The elements are read only.
  public static <E> Set<E> of(E... elements) {
    Set<E> set = copyOf(Arrays.asList(elements));
    if (set.size() < elements.length) {
      throw new IllegalArgumentException("duplicate element in " + Arrays.toString(elements));
    }
    return set;
  }

  public static <E> Set<E> copyOf(Collection<? extends E> elements) {
    Set<E> set = new LinkedHashSet<>(elements);
    set.forEach(Objects::requireNonNull);
    return Collections.unmodifiableSet(set);
  }
}
