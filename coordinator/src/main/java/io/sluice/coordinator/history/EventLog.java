package io.sluice.coordinator.history;

import io.sluice.coordinator.state.Event;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.event.Level;

/**
 * The latest events, at most {@link #CAPACITY} of them. The same event again, with few others in
 * between, is counted in its place, so that one job that is refused a thousand times does not push
 * out that a server was lost. Thread-safe.
 */
public final class EventLog {
  /** Some 300 bytes each. */
  public static final int CAPACITY = 2000;

  /** How far back an event is recognised as the same one again. */
  private static final int LOOK_BACK = 20;

  private final Clock clock;
  private final Deque<ClusterEvent> events = new ArrayDeque<>();
  private long lastNumber;

  public EventLog(Clock clock) {
    this.clock = clock;
  }

  /** Notes an event, unless only developers want to read it. */
  public synchronized void add(Event event) {
    if (event.level().compareTo(Level.DEBUG) >= 0) {
      return;
    }
    Instant now = clock.instant();
    ClusterEvent earlier = repeated(event);
    if (earlier != null) {
      replace(earlier, earlier.again(event, now));
      return;
    }
    lastNumber++;
    events.addLast(new ClusterEvent(lastNumber, now, now, 1, event));
    if (events.size() > CAPACITY) {
      events.removeFirst();
    }
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

  /**
   * Repeats count for refusals and for moves of shuffles: every loss of a server is an event of its
   * own.
   */
  private ClusterEvent repeated(Event event) {
    if (event.kind() != Event.Kind.APPLICATION_DENIED
        && event.kind() != Event.Kind.SHUFFLE_REFUSED
        && event.kind() != Event.Kind.SHUFFLE_MOVING
        && event.kind() != Event.Kind.SHUFFLE_MOVE_APPLIED
        && event.kind() != Event.Kind.QUOTA_REACHED
        && event.kind() != Event.Kind.QUOTA_LEFT
        && event.kind() != Event.Kind.SHUFFLE_SHORT_OF_COPIES) {
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
