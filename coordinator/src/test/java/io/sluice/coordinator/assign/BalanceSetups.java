package io.sluice.coordinator.assign;

import io.sluice.coordinator.assign.BalanceSimulation.Setup;
import io.sluice.coordinator.assign.BalanceSimulation.Zipf;

/** Experiments of {@link BalanceTest} and docs/assignment.md. */
final class BalanceSetups {
  static final int SHUFFLES = 10_000;

  /**
   * Sizes over a factor of 1000: many small shuffles, and a few large ones with the majority of
   * bytes.
   */
  private static final Zipf ZIPF = new Zipf(1.2, 1000);

  private BalanceSetups() {}

  /** Conditions of the theorem: equal parts, one server each, loads known at once. */
  static Setup equal(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 1, 1, 0, Zipf.EQUAL, seed);
  }

  /** Zipf sizes, loads known at once. */
  static Setup fresh(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 9, 1, 0, ZIPF, seed);
  }

  /**
   * Zipf sizes; every server reports once in a hundred shuffles, and bytes arrive a hundred
   * shuffles late.
   */
  static Setup late(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 9, 100, 100, ZIPF, seed);
  }

  /**
   * Zipf sizes; servers report often, but bytes arrive two hundred shuffles late, so that reports
   * are outdated.
   */
  static Setup veryLate(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 9, 10, 200, ZIPF, seed);
  }
}
