package io.sluice.coordinator.history;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The latest {@link #CAPACITY} events. A repeated event is counted in the entry of its first
 * occurrence if that is among the latest {@link #LOOK_BACK} events. A job that is refused a
 * thousand times therefore does not evict other events. Deterministic: the same events in the same
 * order give the same list. Thread-safe.
 */
public final class EventLog {
  /** Maximum number of events, about 300 bytes each. */
  public static final int CAPACITY = 2000;

  /** Number of latest events that are searched for an earlier occurrence. */
  private static final int LOOK_BACK = 20;

  /**
   * Kinds whose repetitions are counted; any other event, such as a lost server, is listed each
   * time.
   */
  private static final Set<Event.Kind> COUNTED =
      Set.of(
          Event.Kind.APPLICATION_DENIED,
          Event.Kind.SHUFFLE_REFUSED,
          Event.Kind.SHUFFLE_MOVING,
          Event.Kind.SHUFFLE_MOVE_APPLIED,
          Event.Kind.QUOTA_REACHED,
          Event.Kind.QUOTA_LEFT,
          Event.Kind.SHUFFLE_SHORT_OF_COPIES);

  private final Deque<ClusterEvent> events = new ArrayDeque<>();
  private long lastNumber;

  /** Adds a new event, or a numbered event that {@link #all} returned earlier. */
  public synchronized void add(ClusterEvent happened) {
    if (happened.number() == ClusterEvent.UNNUMBERED) {
      ClusterEvent earlier = repeated(happened.event());
      if (earlier != null) {
        replace(earlier, earlier.again(happened));
        return;
      }
      lastNumber++;
    } else {
      lastNumber = happened.number();
    }
    events.addLast(happened.numbered(lastNumber));
    if (events.size() > CAPACITY) {
      events.removeFirst();
    }
  }

  /** Removes all events. */
  synchronized void clear() {
    events.clear();
    lastNumber = 0;
  }

  /** All events, oldest first. */
  public synchronized List<ClusterEvent> all() {
    return List.copyOf(events);
  }

  /** Returns a page of the events that match, newest first. */
  public synchronized Page<ClusterEvent> page(int max, Predicate<ClusterEvent> wanted) {
    return Page.of(events.descendingIterator(), max, wanted, ClusterEvent::number);
  }

  private ClusterEvent repeated(Event event) {
    if (!COUNTED.contains(event.kind())) {
      return null;
    }
    int searched = 0;
    for (Iterator<ClusterEvent> all = events.descendingIterator();
        all.hasNext() && searched < LOOK_BACK;
        searched++) {
      ClusterEvent candidate = all.next();
      if (candidate.event().kind() == event.kind()
          && candidate.event().application().equals(event.application())) {
        return candidate;
      }
    }
    return null;
  }

  private void replace(ClusterEvent old, ClusterEvent changed) {
    Deque<ClusterEvent> newer = new ArrayDeque<>();
    while (events.getLast().number() != old.number()) {
      newer.addFirst(events.removeLast());
    }
    events.removeLast();
    events.addLast(changed);
    events.addAll(newer);
  }
}
