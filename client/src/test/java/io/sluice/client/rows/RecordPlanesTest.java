package io.sluice.client.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import io.sluice.common.test.TestEffort;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordPlanesTest {
  private final RecordPlanesDecoder decoder = new RecordPlanesDecoder();

  private static byte[] encode(byte[] records, int count, boolean packBits) {
    RecordPlanesEncoder encoder = new RecordPlanesEncoder(TestRecords.LEAD_BYTES, packBits);
    byte[] shifted = new byte[records.length + 5];
    System.arraycopy(records, 0, shifted, 3, records.length);
    int length = encoder.encode(shifted, 3, records.length, count);
    return length < 0 ? null : Arrays.copyOf(encoder.encoded(), length);
  }

  private static byte[] encode(TestRecords records) {
    return encode(records.bytes(), records.count(), true);
  }

  private void assertComesBack(byte[] encoded, byte[] records) throws SluiceException {
    byte[] target = new byte[records.length + 16];
    Arrays.fill(target, (byte) 0x5a);
    decoder.decode(encoded, encoded.length, target, records.length);
    assertThat(Arrays.copyOf(target, records.length)).isEqualTo(records);
    assertThat(Arrays.copyOfRange(target, records.length, target.length)).containsOnly(0x5a);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @Test
  void recordsOfRandomLengthsComeBackExactly() throws Exception {
    int smaller = 0;
    int tries = TestEffort.times(400);
    for (int seed = 0; seed < tries; seed++) {
      Random random = new Random(seed);
      TestRecords records = TestRecords.random(random, 1 + random.nextInt(500));
      byte[] encoded = encode(records.bytes(), records.count(), random.nextBoolean());
      if (encoded != null) {
        assertThat(encoded.length).isLessThan(records.bytes().length);
        assertComesBack(encoded, records.bytes());
        smaller++;
      }
    }
    assertThat(smaller).isGreaterThan(tries / 2);
  }

  @Test
  void sortedNumbersNeedFewBytes() throws Exception {
    TestRecords records = new TestRecords();
    for (int i = 0; i < 1000; i++) {
      records.add(number(i * 7L), number(1_767_225_600_000L + i * 31L % 1024));
    }
    byte[] encoded = encode(records.end());
    assertThat(encoded).hasSizeLessThan(records.bytes().length / 6);
    assertComesBack(encoded, records.bytes());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 7, 8, 9, 127, 128, 255, 256, RecordPlanes.MAX_FIXED_BYTES, 65_536, 1 << 24})
  void lengthsOfEverySizeComeBack(int keyLength) throws Exception {
    TestRecords records = new TestRecords();
    byte[] key = TestRecords.randomBytes(new Random(1), keyLength, 256);
    for (int i = 0; i < 3; i++) {
      records.add(key, number(i));
    }
    byte[] encoded = encode(records.end());
    assertThat(encoded).isNotNull();
    assertComesBack(encoded, records.bytes());
  }

  @Test
  void recordsWithoutAFixedLengthAreNotEncoded() {
    TestRecords records = new TestRecords();
    for (int i = 0; i < 100; i++) {
      records.add(text("a".repeat(i % 7)), text("b".repeat(i % 5)));
    }
    assertThat(encode(records.end())).isNull();
    TestRecords none = new TestRecords();
    for (int i = 0; i < 100; i++) {
      none.add(new byte[0], new byte[0]);
    }
    assertThat(encode(none.end())).isNull();
  }

  @Test
  void bytesThatAreNoRecordsAreNotEncoded() {
    TestRecords records = new TestRecords();
    for (int i = 0; i < 20; i++) {
      records.add(text("key"), number(5));
    }
    byte[] bytes = records.end().bytes();
    assertThat(encode(bytes, 20, true)).isNotNull();
    // More records than there are, or none.
    assertThat(encode(bytes, 21, true)).isNull();
    assertThat(encode(bytes, 0, true)).isNull();
    assertThat(encode(bytes, Integer.MAX_VALUE, true)).isNull();
    assertThat(encode(Arrays.copyOf(bytes, 10), 20, true)).isNull();
    assertThat(encode(Arrays.copyOf(bytes, bytes.length - 10), 20, true)).isNull();
    // A length that Hadoop would write in fewer bytes, negative and too long ones.
    for (byte[] length :
        new byte[][] {{-113, 3}, {-112}, {-1}, {-120, 0}, {-116, -1, -1, -1, -1}, {-116, 127}}) {
      byte[] changed = bytes.clone();
      System.arraycopy(length, 0, changed, TestRecords.LEAD_BYTES, length.length);
      assertThat(encode(changed, 20, true)).isNull();
    }
  }

  @Test
  void changedBytesAreRefusedWithTheirProblem() throws Exception {
    byte[] golden = golden();
    int length = goldenRecords().bytes().length;
    // Flags, bytes before the records, number of records.
    for (int at : new int[] {0, 1, 2, 4}) {
      byte[] changed = golden.clone();
      changed[at] = (byte) 0xF0;
      assertThatThrownBy(() -> decoder.decode(changed, changed.length, new byte[length], length))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("planes of a block damaged");
    }
    for (int other : new int[] {length - 1, length + 1}) {
      assertThatThrownBy(() -> decoder.decode(golden, golden.length, new byte[other], other))
          .isInstanceOf(SluiceException.class);
    }
    byte[] longer = Arrays.copyOf(golden, golden.length + 1);
    assertThatThrownBy(() -> decoder.decode(longer, longer.length, new byte[length], length))
        .hasMessageContaining("bytes after the last record");
  }

  @Test
  void keysThatAreNotOfOneLengthAreRefusedAsFixedOnes() throws Exception {
    byte[] changed = golden();
    changed[0] |= RecordPlanes.FIXED_KEYS;
    int length = goldenRecords().bytes().length;
    assertThatThrownBy(() -> decoder.decode(changed, changed.length, new byte[length], length))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("where all are");
  }

  @Test
  void aWrongNumberOfLeadingBytesIsACallersError() {
    assertThatThrownBy(() -> new RecordPlanesEncoder(256, true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The records of the example in docs/formats.md. */
  static TestRecords goldenRecords() {
    TestRecords records = new TestRecords();
    String[] words = {"an", "ash", "oak", "the"};
    for (int i = 0; i < words.length; i++) {
      records.add(text(words[i]), ByteBuffer.allocate(4).putInt(7 + i % 2).array());
    }
    return records.end();
  }

  @Test
  void theBytesAreThoseOfTheGoldenFile() throws Exception {
    byte[] golden = golden();
    assertThat(HexFormat.ofDelimiter(" ").formatHex(encode(goldenRecords())))
        .isEqualTo(HexFormat.ofDelimiter(" ").formatHex(golden));
    assertComesBack(golden, goldenRecords().bytes());
  }

  private static byte[] golden() throws IOException {
    try (InputStream in =
        RecordPlanesTest.class.getResourceAsStream("/golden/record-planes-v1.bin")) {
      return in.readAllBytes();
    }
  }
}
