package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SegmentTest {
  @Test
  void headerIsAsInItsGoldenFile() throws IOException {
    byte[] golden;
    try (InputStream in = SegmentTest.class.getResourceAsStream("/golden/segment-v1.bin")) {
      golden = in.readAllBytes();
    }
    byte[] written = golden.clone();
    Arrays.fill(written, 0, Segment.HEADER_BYTES, (byte) -1);
    new Segment(258, true, 6).write(written);

    assertThat(written).isEqualTo(golden);
    ByteBuffer content = ByteBuffer.wrap(golden);
    assertThat(Segment.read(content)).isEqualTo(new Segment(258, true, 6));
    assertThat(content.position()).isEqualTo(Segment.HEADER_BYTES);
  }

  @Test
  void readsAtThePositionOfTheBuffer() throws IOException {
    byte[] written = new byte[Segment.HEADER_BYTES];
    new Segment(0, false, 2).write(written);
    ByteBuffer buffer = ByteBuffer.allocate(40).position(7);
    buffer.put(written).position(7);

    assertThat(Segment.read(buffer)).isEqualTo(new Segment(0, false, 2));
    assertThat(buffer.position()).isEqualTo(7 + Segment.HEADER_BYTES);
  }

  @Test
  void refusesUnknownVersionsFlagsAndFields() {
    assertThatThrownBy(() -> Segment.read(header(0, 2)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("expected version 1, found 2");
    assertThatThrownBy(() -> Segment.read(header(1, 2))).hasMessageContaining("flags=2");
    assertThatThrownBy(() -> Segment.read(header(2, 1))).hasMessageContaining("reserved=1");
    assertThatThrownBy(() -> Segment.read(header(7, -1))).hasMessageContaining("index=-");
    assertThatThrownBy(() -> Segment.read(header(15, -1))).hasMessageContaining("rawLength=-");
    assertThatThrownBy(() -> Segment.read(ByteBuffer.allocate(15)))
        .hasMessageContaining("expected 16 bytes, found 15");
  }

  private static ByteBuffer header(int at, int value) {
    byte[] header = new byte[Segment.HEADER_BYTES];
    new Segment(0, true, 2).write(header);
    header[at] = (byte) value;
    return ByteBuffer.wrap(header);
  }
}
