package io.sluice.coordinator.history;

import java.time.Instant;

/**
 * Something that happened, once or several times in a row.
 *
 * @param number ascending without gaps from 1, in the order of the first time; {@link #UNNUMBERED}
 *     before the list of events has it
 * @param first when it happened first
 * @param last when it happened last
 * @param count how often in a row
 * @param event as it was the last time
 */
public record ClusterEvent(long number, Instant first, Instant last, int count, Event event) {
  /** In the place of a number: the list gives the next one, or counts a repeated event. */
  public static final long UNNUMBERED = 0;

  /** An event that the list does not have yet. */
  public static ClusterEvent happened(Event event, Instant at) {
    return new ClusterEvent(UNNUMBERED, at, at, 1, event);
  }

  ClusterEvent numbered(long next) {
    return new ClusterEvent(next, first, last, count, event);
  }

  ClusterEvent again(ClusterEvent newer) {
    return new ClusterEvent(number, first, newer.last, count + 1, newer.event);
  }
}
