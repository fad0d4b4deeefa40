package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/**
 * Any server, whatever its load: for comparison, and for clusters whose load reports are not to be
 * trusted.
 */
final class RandomChoice implements AssignmentStrategy {
  private final RandomGenerator random;

  RandomChoice(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(int[] open, int count, double[] load) {
    return open[random.nextInt(count)];
  }
}
