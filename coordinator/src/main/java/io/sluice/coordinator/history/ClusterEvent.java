package io.sluice.coordinator.history;

import java.time.Instant;

/**
 * An event with its times and the number of its occurrences.
 *
 * @param number ascending without gaps from 1, in the order of {@code first}; {@link #UNNUMBERED}
 *     before the event is added to the {@link EventLog}
 * @param first time of the first occurrence
 * @param last time of the last occurrence
 * @param count number of occurrences
 * @param event the last occurrence
 */
public record ClusterEvent(long number, Instant first, Instant last, int count, Event event) {
  /**
   * Number of an event that is not in the list: the list assigns the next number, or counts a
   * repeated event.
   */
  public static final long UNNUMBERED = 0;

  /** Returns an event that is not in the list yet. */
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
