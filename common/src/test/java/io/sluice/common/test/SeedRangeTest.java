package io.sluice.common.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeedRangeTest {
  private static final String NAME = "sluice.test.seeds";

  @Test
  void acceptsOneSeed() {
    assertThat(SeedRange.parse(NAME, "5").seeds()).containsExactly(5L);
  }

  @Test
  void acceptsARange() {
    assertThat(SeedRange.parse(NAME, " 3-6 ").seeds()).containsExactly(3L, 4L, 5L, 6L);
    assertThat(SeedRange.parse(NAME, "7-7").seeds()).containsExactly(7L);
  }

  @Test
  void usesTheDefaultOfAPropertyThatIsNotSet() {
    assertThat(SeedRange.ofProperty("sluice.test.no.such.property", "1-3"))
        .isEqualTo(new SeedRange(1, 3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "-5", "5-", "6-3", "1-2-3", "1..3", "1,3", "1234567890123456789"})
  void refusesAnythingElseInOneLine(String value) {
    assertThatThrownBy(() -> SeedRange.parse(NAME, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "sluice.test.seeds="
                + value
                + ": expected a seed or an ascending range, such as 5 or 1-20");
  }
}
