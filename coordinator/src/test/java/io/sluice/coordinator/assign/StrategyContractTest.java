package io.sluice.coordinator.assign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract of all strategies, and properties of each. */
class StrategyContractTest {

  @ParameterizedTest
  @EnumSource(StrategyKind.class)
  void choosesCandidatesOnly(StrategyKind kind) {
    SplittableRandom random = new SplittableRandom(7);
    AssignmentStrategy strategy = kind.start(random.split());
    for (int round = 0; round < 2000; round++) {
      int count = random.nextInt(1, 6);
      // Indexes after the count must be ignored.
      int[] open = {-1, -1, -1, -1, -1, -1, -1};
      double[] load = new double[20];
      int first = random.nextInt(20 - count);
      for (int i = 0; i < count; i++) {
        open[i] = first + i;
        load[first + i] = random.nextDouble();
      }
      assertThat(strategy.choose(open, count, load)).isBetween(first, first + count - 1);
    }
  }

  @ParameterizedTest
  @EnumSource(StrategyKind.class)
  void reachesEveryServerWhenAllAreEquallyLoaded(StrategyKind kind) {
    AssignmentStrategy strategy = kind.start(new SplittableRandom(3));
    int[] chosen = new int[5];
    for (int round = 0; round < 500; round++) {
      chosen[strategy.choose(new int[] {4, 2, 0, 1, 3}, 5, new double[5])]++;
    }
    assertThat(Arrays.stream(chosen).boxed())
        .allSatisfy(count -> assertThat(count).isBetween(60, 140));
  }

  @Test
  void twoChoicesNeverTakeTheMostLoadedServer() {
    AssignmentStrategy strategy = StrategyKind.TWO_CHOICES.start(new SplittableRandom(1));
    for (int round = 0; round < 500; round++) {
      assertThat(strategy.choose(new int[] {0, 1, 2, 3}, 4, new double[] {0.1, 0.2, 0.9, 0.3}))
          .isNotEqualTo(2);
    }
  }

  @Test
  void twoChoicesTakeTheLeastLoadedOfFourInHalfOfAllDraws() {
    AssignmentStrategy strategy = StrategyKind.TWO_CHOICES.start(new SplittableRandom(1));
    int least = 0;
    for (int round = 0; round < 6000; round++) {
      least +=
          strategy.choose(new int[] {0, 1, 2, 3}, 4, new double[] {0.1, 0.2, 0.9, 0.3}) == 0
              ? 1
              : 0;
    }
    // Three of six pairs contain it.
    assertThat(least).isBetween(2850, 3150);
  }

  @Test
  void leastLoadedTakesTheLeastLoaded() {
    AssignmentStrategy strategy = StrategyKind.LEAST_LOADED.start(new SplittableRandom(1));
    assertThat(strategy.choose(new int[] {3, 2, 1, 0}, 4, new double[] {0.3, 0.2, 0.1, 0.9}))
        .isEqualTo(2);
  }
}
