package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private final RequestMemory memory = new RequestMemory(1_000);
  private final List<String> called = new ArrayList<>();

  /** Reserves memory like connections: while there is room, independent of the request's size. */
  private void fill(String application) {
    while (memory.hasRoom(application)) {
      memory.reserve(application, 10);
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
  void memoryStaysFreeForTheNextApplication() {
    RequestMemory large = new RequestMemory(1_000_000);
    for (int i = 0; i < 10; i++) {
      String application = "app-" + i;
      while (large.hasRoom(application)) {
        large.reserve(application, 10);
      }
      assertThat(large.hasRoom("next")).isTrue();
    }
  }

  @Test
  void longTermMemoryIsHalfOfTheShare() {
    while (memory.tryReserveLongTerm("a", 10)) {}
    // 2 * 330 does not exceed the free 670.
    assertThat(memory.usedBytes()).isEqualTo(330);
    assertThat(memory.hasRoom("a")).as("for short requests").isTrue();
    assertThat(memory.tryReserveLongTerm("b", 100)).isTrue();
    assertThat(memory.tryReserveLongTerm("c", 10_000)).isFalse();
    assertThat(memory.usedBytes()).isEqualTo(430);
  }

  @Test
  void callsAFewWaitersWhenThereIsRoom() {
    fill("a");
    for (int i = 0; i < 6; i++) {
      Runnable unused = wait("a", "a" + i);
    }
    assertThat(called).isEmpty();
    memory.release("a", 10);
    assertThat(called).containsExactly("a0", "a1", "a2", "a3");
    memory.skip();
    assertThat(called).hasSize(6).endsWith("a4", "a5");
  }

  @Test
  void callsAWaiterAtOnceIfThereIsRoom() {
    Runnable unused = wait("a", "a");
    assertThat(called).containsExactly("a");
  }

  @Test
  void aUsedUpShareDoesNotBlockOthers() {
    fill("a");
    Runnable unused = wait("a", "a");
    Runnable unusedToo = wait("b", "b");
    assertThat(called).containsExactly("b");
  }

  @Test
  void freedMemoryIsAvailableToOthers() {
    fill("a");
    fill("b");
    Runnable unused = wait("b", "b");
    assertThat(called).isEmpty();
    memory.release("a", 400);
    assertThat(called).containsExactly("b");
  }

  @Test
  void doesNotCallACancelledWaiter() {
    fill("a");
    Runnable cancel = wait("a", "first");
    Runnable unused = wait("a", "second");
    cancel.run();
    cancel.run();
    memory.release("a", 500);
    assertThat(called).containsExactly("second");
  }

  @Test
  void refusesToReleaseMoreThanReserved() {
    memory.reserve("a", 10);
    assertThatThrownBy(() -> memory.release("a", 11)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.release("b", 1)).isInstanceOf(IllegalStateException.class);
    memory.release("a", 10);
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void capacityIsAnEighthOfTheHeap() {
    assertThat(RequestMemory.ofHeap(1L << 30).capacityBytes()).isEqualTo(128 << 20);
    assertThat(RequestMemory.ofHeap(1 << 20).capacityBytes()).isEqualTo(8 << 20);
  }
}
