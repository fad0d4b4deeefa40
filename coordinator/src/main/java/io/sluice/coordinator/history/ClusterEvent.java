package io.sluice.coordinator.history;

import io.sluice.coordinator.state.Event;
import java.time.Instant;

/**
 * Something that happened, once or several times in a row.
 *
 * @param number ascending without gaps from 1, in the order of the first time
 * @param first when it happened first
 * @param last when it happened last
 * @param count how often in a row
 * @param event as it was the last time
 */
public record ClusterEvent(long number, Instant first, Instant last, int count, Event event) {
  ClusterEvent again(Event newer, Instant now) {
    return new ClusterEvent(number, first, now, count + 1, newer);
  }
}
