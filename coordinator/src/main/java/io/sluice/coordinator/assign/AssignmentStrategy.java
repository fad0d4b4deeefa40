package io.sluice.coordinator.assign;

/**
 * Chooses servers for one assignment, one at a time. An instance is used for one assignment only,
 * so it may have state (a cursor, a random generator) and need not be thread-safe.
 */
public interface AssignmentStrategy {

  /**
   * Chooses one of the servers {@code candidates[0..count)}.
   *
   * @param candidates distinct indexes of servers, in no particular order
   * @param count number of candidates, at least 1
   * @param load load of each server by its index: reported load plus load of partitions assigned
   *     since; lower is better
   * @return one of {@code candidates[0..count)}
   */
  int choose(int[] candidates, int count, double[] load);
}
