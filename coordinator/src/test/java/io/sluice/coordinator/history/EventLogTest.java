package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.state.Event;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class EventLogTest {
  private final EventLog log =
      new EventLog(Clock.fixed(Instant.ofEpochSecond(1000), ZoneOffset.UTC));

  private static Event lost(String server) {
    return new Event(Level.WARN, Event.Kind.SERVER_LOST, server, "", "server lost");
  }

  private static Event denied(String application) {
    return new Event(Level.WARN, Event.Kind.APPLICATION_DENIED, "", application, "denied");
  }

  private List<ClusterEvent> all() {
    return log.newest(EventLog.CAPACITY, event -> true);
  }

  @Test
  void tellsTheNewestFirst() {
    log.add(lost("a:1"));
    log.add(lost("b:1"));

    assertThat(all()).extracting(event -> event.event().server()).containsExactly("b:1", "a:1");
    assertThat(log.newest(1, event -> true)).hasSize(1);
    assertThat(log.newest(9, event -> event.number() > 1)).hasSize(1);
  }

  @Test
  void keepsNothingThatOnlyDevelopersRead() {
    log.add(new Event(Level.DEBUG, Event.Kind.SHUFFLE_ASSIGNED, "", "app", "shuffle assigned"));

    assertThat(all()).isEmpty();
  }

  @Test
  void forgetsTheOldestBeyondItsCapacity() {
    for (int i = 0; i <= EventLog.CAPACITY; i++) {
      log.add(lost("s" + i + ":1"));
    }

    assertThat(all()).hasSize(EventLog.CAPACITY);
    assertThat(all()).last().extracting(ClusterEvent::number).isEqualTo(2L);
  }

  @Test
  void countsTheSameRefusalInItsPlace() {
    log.add(denied("greedy"));
    log.add(lost("a:1"));
    log.add(denied("greedy"));
    log.add(denied("other"));

    assertThat(all())
        .extracting(event -> event.event().kind() + " " + event.count())
        .containsExactly("APPLICATION_DENIED 1", "SERVER_LOST 1", "APPLICATION_DENIED 2");
  }

  @Test
  void everyLossOfAServerIsAnEventOfItsOwn() {
    log.add(lost("a:1"));
    log.add(lost("a:1"));

    assertThat(all()).hasSize(2);
  }
}
