package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventTest {
  @Test
  void printsFieldsInOrder() {
    Event event =
        Event.of(Event.Kind.SHUFFLE_MOVING)
            .ofApplication("app")
            .with("shuffle", 3)
            .ofServer("a:1")
            .with("to", "b:1");

    assertThat(event.text())
        .isEqualTo(
            "shuffle is moved to another server application=app shuffle=3 server=a:1 to=b:1");
    assertThat(event.application()).isEqualTo("app");
    assertThat(event.server()).isEqualTo("a:1");
  }

  @Test
  void omitsEmptyFields() {
    Event event = Event.of(Event.Kind.SERVER_LOST).ofServer("a:1").with("reason", "");

    assertThat(event.text()).isEqualTo("server lost server=a:1");
    assertThat(event.application()).isEmpty();
  }

  @Test
  void debugEventsAreNotListed() {
    assertThat(Event.of(Event.Kind.SHUFFLE_ASSIGNED).isListed()).isFalse();
    assertThat(Event.of(Event.Kind.SERVER_JOINED).isListed()).isTrue();
    assertThat(Event.of(Event.Kind.METADATA_LOG_FAILED).isListed()).isTrue();
  }
}
