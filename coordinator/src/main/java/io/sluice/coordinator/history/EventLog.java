package io.sluice.coordinator.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The latest events, at most {@link #CAPACITY} of them. The same event again, with few others in
 * between, is counted in its place, so that one job that is refused a thousand times does not push
 * out that a server was lost. Deterministic: the same events in the same order give the same list.
 * Thread-safe.
 */
public final class EventLog {
  /** Some 300 bytes each. */
  public static final int CAPACITY = 2000;

  /** How far back an event is recognised as the same one again. */
  private static final int LOOK_BACK = 20;

  /** Repeats are counted for these: every loss of a server is an event of its own. */
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

  /** Adds an event: a new one, or a numbered one as {@link #all} returned it. */
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

  /** All events, oldest first. */
  public synchronized List<ClusterEvent> all() {
    return List.copyOf(events);
  }

  /** The newest events that pass a test, newest first. */
  public synchronized List<ClusterEvent> newest(int most, Predicate<ClusterEvent> wanted) {
    List<ClusterEvent> found = new ArrayList<>();
    for (Iterator<ClusterEvent> all = events.descendingIterator();
        all.hasNext() && found.size() < most; ) {
      ClusterEvent event = all.next();
      if (wanted.test(event)) {
        found.add(event);
      }
    }
    return found;
  }

  private ClusterEvent repeated(Event event) {
    if (!COUNTED.contains(event.kind())) {
      return null;
    }
    int looked = 0;
    for (Iterator<ClusterEvent> all = events.descendingIterator();
        all.hasNext() && looked < LOOK_BACK;
        looked++) {
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
