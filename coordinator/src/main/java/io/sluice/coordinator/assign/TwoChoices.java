package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/**
 * Chooses the less loaded of two random servers.
 *
 * <p>With one random choice the fullest of {@code n} servers ends about {@code sqrt(2 m ln(n) / n)}
 * above the mean after {@code m} placements; with the better of two it ends {@code ln(ln(n)) /
 * ln(2) + O(1)} above, independent of the number of placements (Azar, Broder, Karlin and Upfal
 * 1994; Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001; Berenbrink,
 * Czumaj, Steger and Vöcking, "Balanced Allocations: The Heavily Loaded Case", 2000). A third
 * choice adds little. The least loaded server would be the better choice if loads were exact. But
 * loads are seconds old, and several coordinators assign at the same time. All of them would choose
 * the one server that was idle at its last heartbeat. Two random candidates avoid this: each server
 * is a candidate in two of {@code n} choices only.
 */
final class TwoChoices implements AssignmentStrategy {
  private final RandomGenerator random;

  TwoChoices(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(int[] candidates, int count, double[] load) {
    int first = random.nextInt(count);
    if (count == 1) {
      return candidates[first];
    }
    // Chosen from the other servers: the two are distinct and every pair is equally likely. If both
    // loads are equal, the first server is used.
    int second = random.nextInt(count - 1);
    if (second >= first) {
      second++;
    }
    return load[candidates[second]] < load[candidates[first]]
        ? candidates[second]
        : candidates[first];
  }
}
