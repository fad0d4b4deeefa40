package io.sluice.coordinator.history;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Part of a list of numbered entries, newest first.
 *
 * @param next number of the last entry if more entries follow: the next page has lower numbers
 */
public record Page<T>(List<T> entries, OptionalLong next) {
  public Page {
    entries = List.copyOf(entries);
  }

  /**
   * Returns the first {@code max} entries that match.
   *
   * @param max at least 1
   */
  static <T> Page<T> of(
      Iterator<T> newestFirst, int max, Predicate<T> wanted, ToLongFunction<T> number) {
    List<T> found = new ArrayList<>();
    while (newestFirst.hasNext()) {
      T entry = newestFirst.next();
      if (!wanted.test(entry)) {
        continue;
      }
      if (found.size() == max) {
        return new Page<>(found, OptionalLong.of(number.applyAsLong(found.get(max - 1))));
      }
      found.add(entry);
    }
    return new Page<>(found, OptionalLong.empty());
  }
}
