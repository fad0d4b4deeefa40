package io.sluice.demo.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AmountsTest {
  @Test
  void showsBytesInTheUnitThatFits() {
    assertThat(
            List.of(
                Amounts.bytes(0),
                Amounts.bytes(1023),
                Amounts.bytes(1024),
                Amounts.bytes(1536 * 1024),
                Amounts.bytes(3L << 40),
                Amounts.bytes(5000L << 40)))
        .containsExactly("0 B", "1023 B", "1.0 KiB", "1.5 MiB", "3.0 TiB", "5000.0 TiB");
  }
}
