package io.sluice.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.VirtualTime;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskLoopTest {
  private final VirtualTime time = new VirtualTime();
  private final List<String> disposed = new ArrayList<>();
  private final TaskLoop<String> loop = new TaskLoop<>(time, disposed::add);
  private final Recorder machine = new Recorder();

  /** Records the calls of the loop and their times. */
  private static final class Recorder implements TaskMachine<String> {
    final List<String> calls = new ArrayList<>();
    final List<Long> waitedNanos = new ArrayList<>();
    long dueInNanos = Long.MAX_VALUE;

    @Override
    public void on(String event, long now) {
      calls.add(event + "@" + now);
    }

    @Override
    public void advance(long now) {
      calls.add("advance@" + now);
    }

    @Override
    public long dueInNanos(long now) {
      return dueInNanos;
    }

    @Override
    public long timeoutNanos() {
      return 1000;
    }

    @Override
    public void waited(long nanos) {
      waitedNanos.add(nanos);
    }

    @Override
    public void timedOut(long now) {
      calls.add("timedOut@" + now);
    }
  }

  @Test
  void handlesEverythingThatHasArrivedBeforeItAdvances() throws Exception {
    loop.put("a");
    loop.put("b");

    assertThat(loop.handleArrived(machine)).isTrue();
    assertThat(machine.calls).containsExactly("a@0", "b@0", "advance@0");
    assertThat(loop.handleArrived(machine)).isFalse();
    assertThat(machine.calls).hasSize(3);
  }

  @Test
  void waitsForAnEvent() throws Exception {
    time.schedule(300, () -> loop.put("a"));

    loop.await(machine);

    assertThat(machine.calls).containsExactly("a@300", "advance@300");
    assertThat(loop.waitedNanos()).isEqualTo(300);
    assertThat(machine.waitedNanos).containsExactly(300L);
  }

  @Test
  void advancesWhenSomethingIsDue() throws Exception {
    machine.dueInNanos = 400;

    loop.await(machine);

    assertThat(machine.calls).containsExactly("advance@400");
  }

  @Test
  void timesOutWhenNothingHappensAndNothingIsDue() throws Exception {
    machine.dueInNanos = 1000;

    loop.await(machine);

    assertThat(machine.calls).containsExactly("timedOut@1000", "advance@1000");
  }

  @Test
  void advancesAtOnceWhenSomethingIsOverdue() throws Exception {
    machine.dueInNanos = -5;

    loop.await(machine);

    assertThat(machine.calls).containsExactly("advance@0");
  }

  @Test
  void endsTheWaitWhenTheThreadIsInterrupted() {
    for (TaskTime of : List.of(time, TaskTime.SYSTEM)) {
      TaskLoop<String> waiting = new TaskLoop<>(of, event -> {});
      Thread.currentThread().interrupt();

      assertThatThrownBy(() -> waiting.await(machine)).isInstanceOf(InterruptedIOException.class);
      assertThat(Thread.interrupted()).as("the flag stays set").isTrue();
    }
  }

  @Test
  void disposesOfEventsThatAreNotHandled() {
    for (TaskTime of : List.of(time, TaskTime.SYSTEM)) {
      disposed.clear();
      TaskLoop<String> ending = new TaskLoop<>(of, disposed::add);
      ending.put("left");
      ending.close();
      ending.put("late");
      ending.close();

      assertThat(disposed).containsExactly("left", "late");
    }
  }
}
