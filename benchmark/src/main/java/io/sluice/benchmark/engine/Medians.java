package io.sluice.benchmark.engine;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Medians over the rounds of a benchmark. */
final class Medians {
  private Medians() {}

  /** Values of all rounds, ascending. */
  static <T> List<Double> sorted(List<T> rounds, ToDoubleFunction<T> value) {
    return rounds.stream().map(value::applyAsDouble).sorted().toList();
  }

  /** The median over all rounds; there must be one. */
  static <T> double of(List<T> rounds, ToDoubleFunction<T> value) {
    return of(sorted(rounds, value));
  }

  /** The middle one, or the mean of the two in the middle; there must be one. */
  static double of(List<Double> ascending) {
    int middle = ascending.size() / 2;
    return ascending.size() % 2 == 1
        ? ascending.get(middle)
        : (ascending.get(middle - 1) + ascending.get(middle)) / 2;
  }
}
