package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class AdoptionMarkFuzzTest {
  @Test
  void aMarkIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(new AdoptionMark("host-2.example_0123456789abcdef").encode())
        .refusing(IOException.class)
        .run(input -> assertThat(AdoptionMark.decode(input, "mark").encode()).isEqualTo(input));
  }
}
