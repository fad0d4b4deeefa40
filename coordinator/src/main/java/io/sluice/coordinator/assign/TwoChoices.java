package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/**
 * The better of two servers drawn at random.
 *
 * <p>With one random choice the fullest of {@code n} servers ends about {@code sqrt(2 m ln(n) / n)}
 * above the mean after {@code m} placements; with the better of two it ends {@code ln(ln(n)) /
 * ln(2) + O(1)} above, however many placements there are (Azar, Broder, Karlin and Upfal 1994;
 * Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001; Berenbrink, Czumaj,
 * Steger and Vöcking, "Balanced Allocations: The Heavily Loaded Case", 2000). A third choice adds
 * little. Always taking the least loaded would do better on exact figures, but loads here are
 * seconds old and several coordinators assign at once: all of them would send everything to the one
 * server that looked idle at the last heartbeat. Two random candidates spread that rush, because
 * each server is a candidate only twice in {@code n} draws.
 */
final class TwoChoices implements AssignmentStrategy {
  private final RandomGenerator random;

  TwoChoices(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(int[] open, int count, double[] load) {
    int first = random.nextInt(count);
    if (count == 1) {
      return open[first];
    }
    // Drawn from the others, so the two are distinct and every pair is equally likely; on equal
    // loads the first stands.
    int second = random.nextInt(count - 1);
    if (second >= first) {
      second++;
    }
    return load[open[second]] < load[open[first]] ? open[second] : open[first];
  }
}
