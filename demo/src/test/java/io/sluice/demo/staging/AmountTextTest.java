package io.sluice.demo.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AmountTextTest {
  @Test
  void showsBytesInTheUnitThatFits() {
    assertThat(
            List.of(
                AmountText.bytes(0),
                AmountText.bytes(1023),
                AmountText.bytes(1024),
                AmountText.bytes(1536 * 1024),
                AmountText.bytes(3L << 40),
                AmountText.bytes(5000L << 40)))
        .containsExactly("0 B", "1023 B", "1.0 KiB", "1.5 MiB", "3.0 TiB", "5000.0 TiB");
  }
}
