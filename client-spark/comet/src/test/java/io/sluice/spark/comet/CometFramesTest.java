package io.sluice.spark.comet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class CometFramesTest {
  private final CometFrames frames = new CometFrames(plain -> plain);

  private static ByteBuffer header(long length, long fields) {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(0, length)
        .putLong(8, fields)
        .order(ByteOrder.BIG_ENDIAN);
  }

  @Test
  void countsTheLengthField() throws IOException {
    assertThat(frames.headerBytes()).isEqualTo(16);
    assertThat(frames.frameBytes(header(8 + 500, 3))).isEqualTo(16 + 500);
    assertThat(frames.frameBytes(header(8, 0))).isEqualTo(16);
  }

  @Test
  void refusesBytesOfOtherFormats() {
    for (ByteBuffer wrong :
        new ByteBuffer[] {
          header(7, 3), header(-1, 3), header(1L << 31, 3), header(500, -1), header(500, 1L << 31)
        }) {
      assertThatThrownBy(() -> frames.frameBytes(wrong))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Comet");
    }
  }
}
