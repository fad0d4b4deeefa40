package io.sluice.benchmark.engine;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Medians over the rounds of a benchmark. */
public final class Medians {
  private Medians() {}

  /** Values of all rounds, ascending. */
  public static <T> List<Double> sorted(List<T> rounds, ToDoubleFunction<T> value) {
    return rounds.stream().map(value::applyAsDouble).sorted().toList();
  }

  /** Median over all rounds; the list must not be empty. */
  public static <T> double of(List<T> rounds, ToDoubleFunction<T> value) {
    return of(sorted(rounds, value));
  }

  /** Median of sorted values; the list must not be empty. */
  public static double of(List<Double> ascending) {
    int middle = ascending.size() / 2;
    return ascending.size() % 2 == 1
        ? ascending.get(middle)
        : (ascending.get(middle - 1) + ascending.get(middle)) / 2;
  }
}
