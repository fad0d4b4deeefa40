package io.sluice.client.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowPlanesFuzzTest {
  private static final int ROOM = 64 << 10;
  private static final int MARGIN = 64;

  /** Memory of a decoder, as a multiple of the bytes of the decoded rows. */
  private static final int MEMORY_FACTOR = 8;

  /** The length of the decoded rows, then the encoded rows. */
  private static byte[] seed(TestRows rows) {
    RowPlanesEncoder encoder = new RowPlanesEncoder(rows.fields(), true);
    int length = encoder.encode(rows.bytes(), 0, rows.bytes().length, rows.rows());
    assertThat(length).isPositive();
    return ByteBuffer.allocate(Integer.BYTES + length)
        .putInt(rows.bytes().length)
        .put(encoder.encoded(), 0, length)
        .array();
  }

  @Test
  void bytesAreRefusedOrFillTheirRangeWithRows() throws Exception {
    byte[] target = new byte[ROOM + 2 * MARGIN];
    DecoderFuzz.of(
            seed(RowPlanesTest.goldenRows()),
            seed(TestRows.random(new Random(3), 9, 40)),
            seed(TestRows.random(new Random(8), 5, 30)),
            seed(TestRows.random(new Random(5), 70, 20)))
        .refusing(SluiceException.class)
        .allocating((64 << 10) + (long) ROOM * MEMORY_FACTOR, 64)
        .run(
            input -> {
              if (input.length < Integer.BYTES) {
                return;
              }
              int length = Math.floorMod(ByteBuffer.wrap(input).getInt(), ROOM);
              byte[] encoded = Arrays.copyOfRange(input, Integer.BYTES, input.length);
              Arrays.fill(target, length, length + MARGIN, (byte) 0x5a);
              try {
                new RowPlanesDecoder().decode(encoded, encoded.length, target, length);
                assertRows(target, length);
              } finally {
                assertThat(Arrays.copyOfRange(target, length, length + MARGIN)).containsOnly(0x5a);
              }
            });
  }

  private static void assertRows(byte[] target, int length) {
    ByteBuffer rows = ByteBuffer.wrap(target, 0, length);
    while (rows.hasRemaining()) {
      int size = rows.getInt();
      assertThat(size).isBetween(0, rows.remaining());
      rows.position(rows.position() + size);
    }
  }
}
