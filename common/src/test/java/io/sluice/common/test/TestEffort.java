package io.sluice.common.test;

/**
 * Number of random cases that a test runs. The ordinary build runs a small number. {@code
 * -Dsluice.test.effort=10} runs ten times that number, as a nightly build does. Seeds do not depend
 * on the effort: a larger effort runs the cases of a smaller one first.
 */
public final class TestEffort {
  /** System property: an integer multiplier, at least 1. */
  public static final String PROPERTY = "sluice.test.effort";

  private TestEffort() {}

  /**
   * Returns the number of cases to run.
   *
   * @param cases number of cases in the ordinary build
   */
  public static int times(int cases) {
    String value = System.getProperty(PROPERTY, "1");
    int effort;
    try {
      effort = Integer.parseInt(value.strip());
    } catch (NumberFormatException e) {
      effort = 0;
    }
    if (effort < 1) {
      throw new IllegalArgumentException(
          PROPERTY + "=" + value + ": expected an integer of at least 1");
    }
    return Math.multiplyExact(cases, effort);
  }
}
