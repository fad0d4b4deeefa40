package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RecordFormatFuzzTest {
  @Test
  void decodesOrRefusesRecords() {
    byte[][] records =
        Changes.ofEachKind().stream().map(RecordFormat::encode).toArray(byte[][]::new);
    DecoderFuzz.of(records)
        .refusing(IOException.class)
        .run(
            input -> {
              LoggedChange change = RecordFormat.decode(input);
              assertThat(RecordFormat.decode(RecordFormat.encode(change))).isEqualTo(change);
            });
  }
}
