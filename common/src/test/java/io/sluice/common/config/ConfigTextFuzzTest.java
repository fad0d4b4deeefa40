package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConfigTextFuzzTest {
  @Test
  void aSizeIsRefusedOrReadBack() {
    DecoderFuzz.of("64MiB", "1.5g", "-1", "1048576")
        .words("k", "kb", "KiB", "p", "PiB", ".", "-", " ", "\u0130")
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              DataSize size = DataSize.parse(text(input));
              assertThat(DataSize.parse(size.toString())).isEqualTo(size);
            });
  }

  @Test
  void aDurationIsRefusedOrReadBack() {
    DecoderFuzz.of("500ms", "10s", "2 m", "-1", "7d")
        .words("ms", "sec", "min", "h", "d", "-", " ")
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              long ms = DurationText.parseMs(text(input), TimeUnit.SECONDS);
              assertThat(DurationText.parseMs(DurationText.print(ms), TimeUnit.SECONDS))
                  .isEqualTo(ms);
            });
  }

  @Test
  void anAddressIsRefusedOrReadBack() {
    DecoderFuzz.of("coordinator1:19999", "[::1]:80", "[2001:db8::7]:1", "10.0.0.1:0")
        .words(":", "[", "]", "65536", "::", " ", "%", "ffff")
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              HostPort address = HostPort.parse(text(input));
              assertThat(HostPort.parse(address.toString())).isEqualTo(address);
            });
  }

  @Test
  void aHostHasNoBlanksAndNoBracketsInside() {
    for (String wrong : List.of("[ a]:80", "a b:80", "[[a]]:80", "[]:80")) {
      assertThatThrownBy(() -> HostPort.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected host:port");
    }
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
