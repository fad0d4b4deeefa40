package io.sluice.client.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordPlanesFuzzTest {
  private static final int ROOM = 64 << 10;
  private static final int MARGIN = 64;

  /** Memory of a decoder, as a multiple of the bytes of the decoded records. */
  private static final int MEMORY_FACTOR = 8;

  /** The length of the decoded records, then the encoded records. */
  private static byte[] seed(TestRecords records) {
    RecordPlanesEncoder encoder = new RecordPlanesEncoder(TestRecords.LEAD_BYTES, true);
    int length = encoder.encode(records.bytes(), 0, records.bytes().length, records.count());
    assertThat(length).isPositive();
    return ByteBuffer.allocate(Integer.BYTES + length)
        .putInt(records.bytes().length)
        .put(encoder.encoded(), 0, length)
        .array();
  }

  private static TestRecords records(int keyLength, int valueLength, int count) {
    Random random = new Random(keyLength);
    TestRecords records = new TestRecords();
    for (int i = 0; i < count; i++) {
      byte[] key = ("key" + random.nextInt(1000)).getBytes(StandardCharsets.UTF_8);
      records.add(
          keyLength < 0 ? key : Arrays.copyOf(key, keyLength),
          TestRecords.randomBytes(random, valueLength, 40));
    }
    return records.end();
  }

  @Test
  void bytesAreRefusedOrFillTheirRange() throws Exception {
    byte[] target = new byte[ROOM + 2 * MARGIN];
    DecoderFuzz.of(
            seed(RecordPlanesTest.goldenRecords()),
            seed(records(11, 91, 60)),
            seed(records(8, 8, 50)),
            seed(records(-1, 4, 60)),
            seed(records(0, 200, 40)))
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
                new RecordPlanesDecoder().decode(encoded, encoded.length, target, length);
              } finally {
                assertThat(Arrays.copyOfRange(target, length, length + MARGIN)).containsOnly(0x5a);
              }
            });
  }
}
