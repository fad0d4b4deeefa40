package io.sluice.coordinator.assign;

import io.sluice.coordinator.assign.BalanceSimulation.Setup;
import io.sluice.coordinator.assign.BalanceSimulation.Zipf;

/** The experiments that the test checks and the page of the documentation shows. */
final class BalanceSetups {
  static final int SHUFFLES = 10_000;

  /** Sizes over a factor of a thousand: most are small, the few largest hold most of the bytes. */
  private static final Zipf ZIPF = new Zipf(1.2, 1000);

  private BalanceSetups() {}

  /** The theorem's own world: equal parts, one server each, every load known at once. */
  static Setup equal(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 1, 1, 0, Zipf.EQUAL, seed);
  }

  /** Zipf sizes, every load known at once. */
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
   * say little.
   */
  static Setup veryLate(long seed) {
    return new Setup(StrategyKind.TWO_CHOICES, SHUFFLES, 9, 10, 200, ZIPF, seed);
  }
}
