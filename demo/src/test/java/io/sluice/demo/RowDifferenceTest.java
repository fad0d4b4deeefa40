package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.driver.ResultRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RowDifferenceTest {
  @Test
  void findsOneChangedRowAmongMany() {
    Random random = new Random(42);
    List<String> builtIn = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      builtIn.add(random.nextInt(300) + "\t" + random.nextInt(10));
    }
    List<String> sluice = new ArrayList<>(builtIn);
    String lost = sluice.set(500, "changed");
    Collections.shuffle(sluice, random);

    RowDifference difference =
        RowDifference.between(new ResultRows(builtIn), new ResultRows(sluice));

    assertThat(difference)
        .isEqualTo(new RowDifference(1, 1, Optional.of(lost), Optional.of("changed")));
    assertThat(difference.isNone()).isFalse();
  }

  @Test
  void countsDuplicates() {
    RowDifference difference =
        RowDifference.between(
            new ResultRows(List.of("a", "a", "b")), new ResultRows(List.of("a", "b", "b", "c")));

    assertThat(difference).isEqualTo(new RowDifference(1, 2, Optional.of("a"), Optional.of("b")));
  }

  @Test
  void ignoresTheOrderOfRowsInComparisons() {
    assertThat(
            RowDifference.between(
                    new ResultRows(List.of("x", "y", "y")), new ResultRows(List.of("y", "x", "y")))
                .isNone())
        .isTrue();
  }

  @Test
  void findsAllRowsIfTheOtherResultIsEmpty() {
    RowDifference difference =
        RowDifference.between(new ResultRows(List.of()), new ResultRows(List.of("a", "b")));

    assertThat(difference).isEqualTo(new RowDifference(0, 2, Optional.empty(), Optional.of("a")));
  }
}
