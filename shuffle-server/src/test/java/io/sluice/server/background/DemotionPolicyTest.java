package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.background.DemotionPolicy.Candidate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DemotionPolicyTest {
  @Test
  void selectsTheLargestOfEquallyColdRuns() {
    assertThat(choose(100, run("small", 50, 10), run("big", 100, 10), run("middle", 70, 10)))
        .containsExactly("big");
  }

  @Test
  void selectsTheColdestOfEquallyLargeRuns() {
    assertThat(choose(1, run("read now", 100, 0), run("cold", 100, 60), run("cooler", 100, 30)))
        .containsExactly("cold");
  }

  @Test
  void continuesUntilEnoughBytesAreSelected() {
    assertThat(choose(151, run("a", 100, 3), run("b", 100, 2), run("c", 100, 1)))
        .containsExactly("a", "b");
    assertThat(choose(1000, run("a", 100, 3), run("b", 100, 2))).containsExactly("a", "b");
    assertThat(choose(0, run("a", 100, 3))).isEmpty();
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static List<String> choose(long bytes, Candidate<String>... candidates) {
    return DemotionPolicy.choose(List.of(candidates), bytes);
  }

  private static Candidate<String> run(String name, long length, long idleSeconds) {
    return new Candidate<>(name, length, TimeUnit.SECONDS.toNanos(idleSeconds));
  }
}
