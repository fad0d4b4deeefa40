package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ShuffleHistoryTest {

  @Test
  void keepsTheHighestNumbers() {
    SplittableRandom random = new SplittableRandom(9);
    ShuffleHistory history = ShuffleHistory.empty();
    TreeMap<Integer, Integer> model = new TreeMap<>();
    for (int step = 0; step < 3000; step++) {
      int shuffle = random.nextInt(80);
      int count = random.nextInt(1, 5);
      history = history.with(shuffle, count, 30);
      model.put(shuffle, count);
      if (model.size() > 30) {
        model.pollFirstEntry();
      }
      assertThat(history.size()).isEqualTo(model.size());
      for (int known = 0; known < 80; known++) {
        assertThat(history.partitionCount(known)).isEqualTo(model.getOrDefault(known, 0));
      }
    }
  }

  @Test
  void keepsNothingWithALimitOfZero() {
    assertThat(ShuffleHistory.empty().with(3, 7, 0).size()).isZero();
  }
}
