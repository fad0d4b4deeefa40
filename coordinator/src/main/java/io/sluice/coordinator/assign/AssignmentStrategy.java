package io.sluice.coordinator.assign;

/**
 * Makes one choice among servers, again and again for one assignment. An instance serves one
 * assignment, so it may keep state (a cursor, a generator) and need not be thread-safe.
 */
public interface AssignmentStrategy {

  /**
   * Chooses one of the servers {@code open[0..count)}.
   *
   * @param open indexes of servers, in no particular order, without repeats
   * @param count how many of them count; at least 1
   * @param load load of each server by its index: what it reported plus its share of what was
   *     handed out; lower is better
   * @return one of {@code open[0..count)}
   */
  int choose(int[] open, int count, double[] load);
}
