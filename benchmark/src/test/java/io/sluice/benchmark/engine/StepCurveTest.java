package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class StepCurveTest {
  private final StepCurve curve = StepCurve.ofValues(Map.of(10L, 5L, 20L, 9L, 30L, 2L));

  @Test
  void aValueIsValidUntilTheNextTime() {
    assertThat(curve.at(9)).isZero();
    assertThat(curve.at(10)).isEqualTo(5);
    assertThat(curve.at(19)).isEqualTo(5);
    assertThat(curve.at(1_000)).isEqualTo(2);
  }

  @Test
  void theHighestValueOfAnIntervalIncludesTheOneAtItsBegin() {
    assertThat(curve.highest(15, 20)).isEqualTo(5);
    assertThat(curve.highest(15, 21)).isEqualTo(9);
    assertThat(curve.highest(25, 40)).isEqualTo(9);
    assertThat(curve.highest(30, 40)).isEqualTo(2);
  }

  @Test
  void findsThePeak() {
    assertThat(curve.peak()).isEqualTo(9);
    assertThat(curve.peakTime()).isEqualTo(20);
    assertThat(StepCurve.ofChanges(Map.of()).peak()).isZero();
    assertThat(StepCurve.ofChanges(Map.of()).peakTime()).isZero();
  }
}
