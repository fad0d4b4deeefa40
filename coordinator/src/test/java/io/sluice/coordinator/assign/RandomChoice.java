package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/** Chooses a random server and ignores loads; for comparison. */
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
