package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.transport.server.ClientConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
  private final ReadBudget budget = new ReadBudget(8_000);
  private final List<String> called = new ArrayList<>();

  private static ClientConnection connection(String application, int number) {
    return new ClientConnection(application, "test", "peer-" + number);
  }

  private boolean take(String application, int number, long bytes) {
    return budget.tryTake(
        connection(application, number), bytes, () -> called.add(application + number));
  }

  /** Takes bytes over additional connections until the application gets no more. */
  private long takeAll(String application, long bytes) {
    long before = budget.usedBytes();
    for (int number = 0; number < 100; number++) {
      while (take(application, number, bytes)) {}
    }
    return budget.usedBytes() - before;
  }

  @Test
  void oneConnectionGetsAnEighthButAtLeastOneFetch() {
    assertThat(take("a", 1, 600)).isTrue();
    assertThat(take("a", 1, 500)).isFalse();
    assertThat(take("a", 1, 400)).isTrue();
    assertThat(take("a", 2, 3_000)).isTrue();
    assertThat(take("a", 2, 1)).isFalse();
  }

  @Test
  void connectionsOfOneApplicationLeaveHalfToOthers() {
    assertThat(takeAll("a", 100)).isEqualTo(4_000);
    assertThat(take("b", 1, 1_000)).isTrue();
    assertThat(take("b", 2, 1_000)).isTrue();
    assertThat(take("b", 3, 1_000)).as("half of the rest is in use").isFalse();
  }

  @Test
  void severalApplicationsGetAShare() {
    for (int application = 0; application < 6; application++) {
      assertThat(takeAll("app-" + application, 1)).isPositive();
    }
    assertThat(budget.usedBytes()).isLessThan(8_000);
  }

  @Test
  void anIdleApplicationGetsOneFetchThatFits() {
    assertThat(takeAll("a", 100)).isEqualTo(4_000);
    assertThat(take("b", 1, 4_001)).isFalse();
    assertThat(take("b", 1, 4_000)).isTrue();
  }

  @Test
  void aFetchLargerThanTheBudgetRunsAlone() {
    assertThat(take("a", 1, 100)).isTrue();
    assertThat(take("b", 1, 9_000)).isFalse();
    budget.release(connection("a", 1), 100);
    assertThat(take("b", 1, 9_000)).isTrue();
    assertThat(take("a", 1, 1)).isFalse();
  }

  @Test
  void releasesBytesInPortions() {
    assertThat(take("a", 1, 4_000)).isTrue();
    assertThat(take("a", 2, 500)).isFalse();
    budget.release(connection("a", 1), 700);
    assertThat(called).containsExactly("a2");
    assertThat(take("a", 2, 500)).isTrue();
    budget.release(connection("a", 1), 3_300);
    budget.release(connection("a", 2), 500);
    assertThat(budget.usedBytes()).isZero();
  }
}
