package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedPartsTest {
  private final List<String> closed = new ArrayList<>();
  private final StartedParts parts = new StartedParts();

  private AutoCloseable part(String name) {
    return () -> closed.add(name);
  }

  @Test
  void closesInReverseAndOnce() {
    parts.add("a", part("a"));
    parts.add("b", part("b"));
    parts.add("c", part("c"));
    parts.close();
    parts.close();
    assertThat(closed).containsExactly("c", "b", "a");
  }

  @Test
  void closesOtherPartsWhenOneFails() {
    parts.add("a", part("a"));
    parts.add(
        "b",
        () -> {
          throw new IllegalStateException("injected failure");
        });
    parts.add("c", part("c"));
    parts.close();
    assertThat(closed).containsExactly("c", "a");
  }

  @Test
  void anInterruptedPartLeavesTheThreadInterrupted() {
    parts.add("a", part("a"));
    parts.add(
        "b",
        () -> {
          throw new InterruptedException();
        });
    parts.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(closed).containsExactly("a");
  }
}
