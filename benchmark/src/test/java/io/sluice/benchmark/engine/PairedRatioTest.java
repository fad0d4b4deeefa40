package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PairedRatioTest {
  @Test
  void boundsTheMeanByStudentsT() {
    // Logarithms ln 1, ln 2, ln 4: mean ln 2, standard error ln 2 / sqrt 3; t(0.95, 2) = 2.91999.
    PairedRatio ratio = PairedRatio.of(new double[] {3, 10, 4}, new double[] {3, 5, 1});

    assertThat(ratio.mean()).isEqualTo(2, within(1e-9));
    assertThat(ratio.upperBound())
        .isEqualTo(Math.exp(Math.log(2) * (1 + 2.919986 / Math.sqrt(3))), within(1e-4));
    assertThat(ratio.pairs()).isEqualTo(3);
  }

  @Test
  void onePairHasNoBound() {
    PairedRatio ratio = PairedRatio.of(new double[] {3}, new double[] {2});

    assertThat(ratio.mean()).isEqualTo(1.5, within(1e-9));
    assertThat(ratio.upperBound()).isInfinite();
  }
}
