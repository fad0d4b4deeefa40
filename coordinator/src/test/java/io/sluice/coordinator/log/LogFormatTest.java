package io.sluice.coordinator.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LogFormatTest {
  private static final LogFormat.Snapshot SNAPSHOT = new LogFormat.Snapshot(0x0102030405L, 7);

  @Test
  void writesTheGoldenFile() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(LogFormat.formatKey());
    all.write(LogFormat.format());
    all.write(LogFormat.snapshotKey());
    all.write(LogFormat.encode(SNAPSHOT));
    all.write(LogFormat.recordKey(0x0102030406L));
    all.write(LogFormat.snapshotRecordKey(6));
    try (InputStream golden = getClass().getResourceAsStream("/golden/metadata-log-v1.bin")) {
      assertThat(all.toByteArray()).isEqualTo(golden.readAllBytes());
    }
  }

  @Test
  void decodesEncodedValues() throws IOException {
    LogFormat.checkFormat(LogFormat.format());
    assertThat(LogFormat.decodeSnapshot(LogFormat.encode(SNAPSHOT))).isEqualTo(SNAPSHOT);
    LogFormat.checkRecordKey(LogFormat.recordKey(5), 5);
    LogFormat.checkSnapshotRecordKey(LogFormat.snapshotRecordKey(5), 5);
  }

  @Test
  void refusesInvalidValues() {
    byte[] value = LogFormat.encode(SNAPSHOT);
    for (int length = 0; length < value.length; length++) {
      byte[] cut = Arrays.copyOf(value, length);
      assertThatThrownBy(() -> LogFormat.decodeSnapshot(cut)).isInstanceOf(IOException.class);
    }
    byte[] reserved = value.clone();
    reserved[12] = 1;
    assertThatThrownBy(() -> LogFormat.decodeSnapshot(reserved)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> LogFormat.checkRecordKey(LogFormat.recordKey(6), 5))
        .hasMessage("expected record 5, found record 6");
    assertThatThrownBy(() -> LogFormat.checkRecordKey(new byte[] {'R'}, 5))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> LogFormat.checkFormat(new byte[8]))
        .hasMessageContaining("not a coordinator's metadata log");
  }
}
