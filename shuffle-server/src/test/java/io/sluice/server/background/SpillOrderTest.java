package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SpillOrderTest {
  private static final long CAPACITY = 800;

  private final SpillOrder<Shuffle> order = new SpillOrder<>(Shuffle::application, Shuffle::bytes);

  private record Shuffle(String application, int number, long bytes) {}

  private SpillOrder.Turn<Shuffle> turn(Shuffle... shuffles) {
    return order.next(List.of(shuffles), CAPACITY, true, Set.of());
  }

  private Shuffle next(Shuffle... shuffles) {
    SpillOrder.Turn<Shuffle> turn = turn(shuffles);
    return turn == null ? null : turn.shuffle();
  }

  @Test
  void selectsTheLargestShuffleOfTheLargestApplicationIfNoneHasHalfOfItsShare() {
    Shuffle large = new Shuffle("many", 1, 30);
    assertThat(
            next(
                new Shuffle("many", 0, 20),
                large,
                new Shuffle("many", 2, 25),
                new Shuffle("one", 0, 40)))
        .isEqualTo(large);
  }

  @Test
  void selectsNothingIfNothingIsInMemory() {
    assertThat(next()).isNull();
    assertThat(next(new Shuffle("a", 0, 0))).isNull();
  }

  @Test
  void anApplicationWithHalfOfItsShareComesBeforeALargerOne() {
    Shuffle large = new Shuffle("large", 0, 500);
    assertThat(next(large, new Shuffle("small", 0, 199))).isEqualTo(large);
    order.spilled("large", 200);

    Shuffle small = new Shuffle("small", 0, 200);
    assertThat(next(large, small)).isEqualTo(small);
    assertThat(turn(large, small).maxRunBytes()).as("half of a share").isEqualTo(200);
    assertThat(turn(large).maxRunBytes()).as("no other waits").isEqualTo(Long.MAX_VALUE);
  }

  /** Runs of one application are four times as long, because those of the other are small. */
  @Test
  void applicationsTakeTurnsByBytes() {
    Map<String, Long> runBytes = Map.of("one", 80L, "many", 20L);
    Map<String, Long> spilled = new TreeMap<>();
    for (int i = 0; i < 100; i++) {
      String name = next(new Shuffle("one", 0, 400), new Shuffle("many", 0, 400)).application();
      order.spilled(name, runBytes.get(name));
      spilled.merge(name, runBytes.get(name), Long::sum);
    }
    assertThat(Math.abs(spilled.get("one") - spilled.get("many"))).isLessThanOrEqualTo(80);
  }

  @Test
  void anApplicationIsNotChargedForRunsWithoutOthers() {
    Shuffle small = new Shuffle("small", 0, 300);
    Shuffle large = new Shuffle("large", 0, 500);
    for (int i = 0; i < 10; i++) {
      assertThat(next(small)).isEqualTo(small);
      order.spilled("small", 300);
      Shuffle rest = new Shuffle("small", 0, 100);
      assertThat(next(rest)).as("less than half of its share").isEqualTo(rest);
      order.spilled("small", 100);
    }
    List<String> turns = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String name = next(small, large).application();
      order.spilled(name, 100);
      turns.add(name);
    }
    assertThat(turns).as("its last run had 300 bytes").contains("small", "large");
  }

  @Test
  void anApplicationHasNoCreditForTheTimeInWhichItTookNoTurns() {
    Shuffle late = new Shuffle("late", 0, 300);
    Shuffle large = new Shuffle("large", 0, 500);
    for (int i = 0; i < 50; i++) {
      assertThat(next(large)).isEqualTo(large);
      order.spilled("large", 200);
    }
    List<Shuffle> turns = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Shuffle next = next(late, large);
      order.spilled(next.application(), 200);
      turns.add(next);
    }
    assertThat(turns).containsExactly(late, large, late, large);
  }

  @Test
  void onlyDueApplicationsAreSelectedWhileMemoryIsNotLow() {
    Shuffle due = new Shuffle("due", 0, 10);
    Shuffle large = new Shuffle("large", 0, 500);
    List<Shuffle> all = List.of(large, due);
    assertThat(order.next(all, CAPACITY, false, Set.of())).isNull();
    assertThat(order.next(List.of(large), CAPACITY, false, Set.of("due"))).isNull();
    assertThat(order.next(all, CAPACITY, false, Set.of("due")).shuffle()).isEqualTo(due);
    order.spilled("due", 10);

    assertThat(order.next(all, CAPACITY, true, Set.of("due")).shuffle())
        .as("it takes turns with the others while memory is low")
        .isEqualTo(large);
  }
}
