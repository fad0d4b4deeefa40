package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/**
 * Chooses the least loaded server, at random among equals. Best with one coordinator and current
 * loads; see {@link TwoChoices} for why it is not the default.
 */
final class LeastLoaded implements AssignmentStrategy {
  private final RandomGenerator random;

  LeastLoaded(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(int[] open, int count, double[] load) {
    int best = open[0];
    int equals = 1;
    for (int i = 1; i < count; i++) {
      int candidate = open[i];
      if (load[candidate] < load[best]) {
        best = candidate;
        equals = 1;
      } else if (load[candidate] == load[best] && random.nextInt(++equals) == 0) {
        best = candidate;
      }
    }
    return best;
  }
}
