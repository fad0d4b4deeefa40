package io.sluice.coordinator.explain;

/**
 * One cause, its cost, and the change that removes it.
 *
 * @param server name of the server; null: no single one
 * @param shuffle number of the shuffle; null: no single one
 * @param taskMs time of all tasks that the cause took; null: unknown
 * @param jobMs estimated time of the job that the cause took; null: unknown
 * @param observed what happened, in one sentence
 * @param change what to change, in one sentence
 */
public record Finding(
    Cause cause,
    String server,
    Integer shuffle,
    Long taskMs,
    Long jobMs,
    String observed,
    String change) {

  static Finding withoutCost(Cause cause, Integer shuffle, String observed, String change) {
    return new Finding(cause, null, shuffle, null, null, observed, change);
  }
}
