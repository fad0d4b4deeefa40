package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private final EventLog log = new EventLog();

  private static Event lost(String server) {
    return Event.of(Event.Kind.SERVER_LOST).ofServer(server);
  }

  private static Event denied(String application) {
    return Event.of(Event.Kind.APPLICATION_DENIED).ofApplication(application);
  }

  private void add(Event event, long atSecond) {
    log.add(ClusterEvent.happened(event, Instant.ofEpochSecond(atSecond)));
  }

  private List<ClusterEvent> newest() {
    return log.page(EventLog.CAPACITY, event -> true).entries();
  }

  @Test
  void returnsTheNewestFirst() {
    add(lost("a:1"), 1);
    add(lost("b:1"), 2);

    assertThat(newest()).extracting(event -> event.event().server()).containsExactly("b:1", "a:1");
    assertThat(log.page(9, event -> event.number() > 1).entries()).hasSize(1);
  }

  @Test
  void pagesNameTheNextOne() {
    for (int i = 1; i <= 5; i++) {
      add(lost("s" + i + ":1"), i);
    }

    Page<ClusterEvent> first = log.page(2, event -> event.number() != 4);
    Page<ClusterEvent> last = log.page(2, event -> event.number() < 3);

    assertThat(first.entries()).extracting(ClusterEvent::number).containsExactly(5L, 3L);
    assertThat(first.next()).hasValue(3);
    assertThat(last.entries()).extracting(ClusterEvent::number).containsExactly(2L, 1L);
    assertThat(last.next()).as("no more events").isEmpty();
    assertThat(log.page(2, event -> event.number() < 1).entries()).isEmpty();
  }

  @Test
  void dropsTheOldestEvents() {
    for (int i = 0; i <= EventLog.CAPACITY; i++) {
      add(lost("s" + i + ":1"), i);
    }

    assertThat(newest()).hasSize(EventLog.CAPACITY);
    assertThat(newest()).last().extracting(ClusterEvent::number).isEqualTo(2L);
  }

  @Test
  void countsARepeatedRefusalInOneEntry() {
    add(denied("greedy"), 1);
    add(lost("a:1"), 2);
    add(denied("greedy"), 3);
    add(denied("other"), 4);

    assertThat(newest())
        .extracting(event -> event.event().kind() + " " + event.count())
        .containsExactly("APPLICATION_DENIED 1", "SERVER_LOST 1", "APPLICATION_DENIED 2");
    assertThat(newest()).last().extracting(ClusterEvent::first).isEqualTo(Instant.ofEpochSecond(1));
    assertThat(newest()).last().extracting(ClusterEvent::last).isEqualTo(Instant.ofEpochSecond(3));
  }

  @Test
  void listsEveryLossOfAServer() {
    add(lost("a:1"), 1);
    add(lost("a:1"), 2);

    assertThat(newest()).hasSize(2);
  }

  @Test
  void numbersAndCountsSurviveACopy() {
    for (int i = 0; i < EventLog.CAPACITY + 10; i++) {
      add(lost("s" + i + ":1"), i);
    }
    add(denied("greedy"), 1);
    add(denied("greedy"), 2);

    EventLog copy = new EventLog();
    log.all().forEach(copy::add);

    assertThat(copy.all()).isEqualTo(log.all());
    ClusterEvent next = ClusterEvent.happened(lost("z:1"), Instant.EPOCH);
    log.add(next);
    copy.add(next);
    assertThat(copy.all()).isEqualTo(log.all());
  }
}
