package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyedCountsTest {
  private final KeyedCounts counts = new KeyedCounts();

  @Test
  void addsUpToTheMaximumOfAKey() {
    assertThat(counts.add("a", 3, 4)).isTrue();
    assertThat(counts.add("a", 2, 4)).isFalse();
    assertThat(counts.count("a")).isEqualTo(3);
    assertThat(counts.add("a", 4)).isTrue();
    assertThat(counts.add("a", 4)).isFalse();
    assertThat(counts.add("b", 4, 4)).isTrue();
    assertThat(counts.keys()).isEqualTo(2);
  }

  @Test
  void aKeyWithoutACountUsesNoMemory() {
    assertThat(counts.add("a", 5, 4)).isFalse();
    assertThat(counts.keys()).isZero();
    assertThat(counts.add("a", 3, 4)).isTrue();
    counts.remove("a");
    assertThat(counts.count("a")).isEqualTo(2);
    counts.remove("a", 2);
    assertThat(counts.keys()).isZero();
  }
}
