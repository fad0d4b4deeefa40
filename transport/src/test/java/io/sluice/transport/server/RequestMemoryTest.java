package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private final RequestMemory memory = new RequestMemory(1_000);
  private final List<String> called = new ArrayList<>();

  /** Takes as connections do: while there is room, whatever the request needs. */
  private void fill(String application) {
    while (memory.hasRoom(application)) {
      memory.take(application, 10);
    }
  }

  private Runnable wait(String application, String name) {
    return memory.whenRoom(application, () -> called.add(name));
  }

  @Test
  void oneApplicationGetsHalf() {
    fill("a");
    assertThat(memory.usedBytes()).isEqualTo(510);
    assertThat(memory.hasRoom("b")).isTrue();
  }

  @Test
  void somethingStaysFreeForWhoeverComes() {
    RequestMemory large = new RequestMemory(1_000_000);
    for (int i = 0; i < 10; i++) {
      String application = "app-" + i;
      while (large.hasRoom(application)) {
        large.take(application, 10);
      }
      assertThat(large.hasRoom("next")).isTrue();
    }
  }

  @Test
  void whatLastsLongGetsHalfOfThat() {
    while (memory.tryTakeForLong("a", 10)) {}
    // Twice 330 is no more than what is left.
    assertThat(memory.usedBytes()).isEqualTo(330);
    assertThat(memory.hasRoom("a")).as("for requests that end soon").isTrue();
    assertThat(memory.tryTakeForLong("b", 100)).isTrue();
    assertThat(memory.tryTakeForLong("c", 10_000)).isFalse();
    assertThat(memory.usedBytes()).isEqualTo(430);
  }

  @Test
  void callsWhoWaitsWhenThereIsRoomAndAFewAtATime() {
    fill("a");
    for (int i = 0; i < 6; i++) {
      Runnable unused = wait("a", "a" + i);
    }
    assertThat(called).isEmpty();
    memory.give("a", 10);
    assertThat(called).containsExactly("a0", "a1", "a2", "a3");
    memory.pass();
    assertThat(called).hasSize(6).endsWith("a4", "a5");
  }

  @Test
  void callsAtOnceWhoseRoomCameMeanwhile() {
    Runnable unused = wait("a", "a");
    assertThat(called).containsExactly("a");
  }

  @Test
  void doesNotLetOthersWaitForOneThatHasUsedItsShareUp() {
    fill("a");
    Runnable unused = wait("a", "a");
    Runnable unusedToo = wait("b", "b");
    assertThat(called).containsExactly("b");
  }

  @Test
  void freedMemoryOfOneIsRoomForAnother() {
    fill("a");
    fill("b");
    Runnable unused = wait("b", "b");
    assertThat(called).isEmpty();
    memory.give("a", 400);
    assertThat(called).containsExactly("b");
  }

  @Test
  void forgetsWhoNoLongerWaits() {
    fill("a");
    Runnable cancel = wait("a", "first");
    Runnable unused = wait("a", "second");
    cancel.run();
    cancel.run();
    memory.give("a", 500);
    assertThat(called).containsExactly("second");
  }

  @Test
  void refusesToGetBackMoreThanItGave() {
    memory.take("a", 10);
    assertThatThrownBy(() -> memory.give("a", 11)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.give("b", 1)).isInstanceOf(IllegalStateException.class);
    memory.give("a", 10);
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void hasAnEighthOfTheHeap() {
    assertThat(RequestMemory.ofHeap(1L << 30).capacityBytes()).isEqualTo(128 << 20);
    assertThat(RequestMemory.ofHeap(1 << 20).capacityBytes()).isEqualTo(8 << 20);
  }
}
