package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FullestShuffleTest {
  private record Shuffle(String application, int number, long bytes) {}

  private static Shuffle fullest(Shuffle... shuffles) {
    return FullestShuffle.of(List.of(shuffles), Shuffle::application, Shuffle::bytes);
  }

  @Test
  void selectsTheLargestShuffleOfTheLargestApplication() {
    Shuffle large = new Shuffle("many", 1, 30);
    assertThat(
            fullest(
                new Shuffle("many", 0, 20),
                large,
                new Shuffle("many", 2, 25),
                new Shuffle("one", 0, 40)))
        .isEqualTo(large);
  }

  @Test
  void selectsNothingIfNothingIsInMemory() {
    assertThat(fullest()).isNull();
    assertThat(fullest(new Shuffle("a", 0, 0))).isNull();
  }
}
