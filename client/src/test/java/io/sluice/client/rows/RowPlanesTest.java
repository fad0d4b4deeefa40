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

class RowPlanesTest {
  private final RowPlanesDecoder decoder = new RowPlanesDecoder();

  /** Encodes and decodes; returns the encoded bytes, or null if the rows are not encoded. */
  private byte[] roundTrip(byte[] rows, int count, int fields, boolean packBits) throws Exception {
    RowPlanesEncoder encoder = new RowPlanesEncoder(fields, packBits);
    byte[] shifted = new byte[rows.length + 5];
    System.arraycopy(rows, 0, shifted, 3, rows.length);
    int length = encoder.encode(shifted, 3, rows.length, count);
    if (length < 0) {
      return null;
    }
    byte[] encoded = Arrays.copyOf(encoder.encoded(), length);
    byte[] target = new byte[rows.length + 16];
    Arrays.fill(target, (byte) 0x5a);
    decoder.decode(encoded, length, target, rows.length);
    assertThat(Arrays.copyOf(target, rows.length)).isEqualTo(rows);
    assertThat(Arrays.copyOfRange(target, rows.length, target.length)).containsOnly(0x5a);
    return encoded;
  }

  private byte[] encoded(TestRows rows) throws Exception {
    byte[] encoded = roundTrip(rows.bytes(), rows.rows(), rows.fields(), true);
    assertThat(encoded).isNotNull();
    return encoded;
  }

  @Test
  void rowsOfRandomSchemasComeBackExactly() throws Exception {
    int smaller = 0;
    int tries = TestEffort.times(300);
    for (int seed = 0; seed < tries; seed++) {
      Random random = new Random(seed);
      int fields = random.nextInt(4) == 0 ? random.nextInt(201) : random.nextInt(12);
      TestRows rows = TestRows.random(random, fields, 1 + random.nextInt(fields > 12 ? 60 : 700));
      byte[] encoded = roundTrip(rows.bytes(), rows.rows(), fields, random.nextBoolean());
      smaller += encoded != null ? 1 : 0;
    }
    assertThat(smaller).isGreaterThan(tries * 8 / 10);
  }

  @Test
  void rowsWithChangedBytesComeBackExactly() throws Exception {
    int encodedRows = 0;
    int tries = TestEffort.times(400);
    for (int seed = 0; seed < tries; seed++) {
      Random random = new Random(seed);
      int fields = 1 + random.nextInt(8);
      TestRows rows = TestRows.random(random, fields, 2 + random.nextInt(40));
      byte[] bytes = rows.bytes();
      int first = ByteBuffer.wrap(bytes).getInt();
      for (int change = random.nextInt(6); change >= 0; change--) {
        // Offsets, sizes, padding and values, but not the lengths of rows.
        bytes[4 + random.nextInt(first)] = (byte) random.nextInt();
      }
      encodedRows += roundTrip(bytes, rows.rows(), fields, true) != null ? 1 : 0;
    }
    assertThat(encodedRows).isGreaterThan(tries / 2);
  }

  @Test
  void rowsWithoutFieldsNeedOnlyTheirNumber() throws Exception {
    TestRows rows = new TestRows(0);
    for (int i = 0; i < 1000; i++) {
      rows.begin().end();
    }
    assertThat(encoded(rows)).hasSize(RowPlanes.HEAD_BYTES);
  }

  @Test
  void nullsOfMoreThan64FieldsComeBack() throws Exception {
    TestRows rows = new TestRows(150);
    for (int i = 0; i < 100; i++) {
      rows.begin().number(i, i).number(149, -1).end();
    }
    assertThat(encoded(rows).length).isLessThan(rows.bytes().length / 10);
  }

  @Test
  void oneHugeRowComesBack() throws Exception {
    TestRows rows = new TestRows(2).begin().number(0, 1).value(1, new byte[3_000_001]).end();
    encoded(rows);
  }

  @Test
  void emptyValuesAreNotNulls() throws Exception {
    TestRows rows = new TestRows(2);
    for (int i = 0; i < 50; i++) {
      rows.begin();
      if (i % 2 == 0) {
        rows.value(0, new byte[0]);
      }
      rows.value(1, "text ".repeat(i % 7).getBytes(StandardCharsets.UTF_8)).end();
    }
    encoded(rows);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 9})
  void reservedDecimalsAreFoundBesideStrings(int decimalBytes) throws Exception {
    TestRows rows = new TestRows(4);
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      byte[] decimal = new byte[decimalBytes];
      decimal[decimalBytes - 1] = (byte) random.nextInt(100);
      rows.begin()
          .number(0, i)
          .value(1, ("name " + i % 5).getBytes(StandardCharsets.UTF_8))
          .decimal(2, i % 9 == 0 ? null : decimal)
          .value(3, ("other " + i % 3).getBytes(StandardCharsets.UTF_8))
          .end();
    }
    // Less than three bytes a row: one of the decimal, bits of the others.
    assertThat(encoded(rows).length).isLessThan(rows.rows() * 3 + 300);
  }

  @Test
  void bytesThatNoSlotDescribesComeBack() throws Exception {
    TestRows rows = new TestRows(2);
    for (int i = 0; i < 40; i++) {
      rows.begin().number(0, i).value(1, new byte[] {1, 2, 3}).rest(new byte[8 * (i % 3)]).end();
    }
    encoded(rows);
  }

  @Test
  void bytesAfterAValueAreKeptIfTheyAreNotZero() throws Exception {
    TestRows rows = new TestRows(1);
    for (int i = 0; i < 40; i++) {
      rows.begin().value(0, new byte[] {1, 2, 3}).end();
    }
    byte[] bytes = rows.bytes();
    bytes[bytes.length - 1] = 7;
    assertThat(roundTrip(bytes, rows.rows(), 1, true)).isNotNull();
  }

  @Test
  void sortedKeysAndRepeatedValuesNeedFewBits() throws Exception {
    TestRows rows = new TestRows(3);
    for (int i = 0; i < 4000; i++) {
      rows.begin()
          .number(0, 1_000_000_000L + i * 3L)
          .number(1, new Random(i / 10).nextLong())
          .number(2, Double.doubleToLongBits(i % 4 * 0.25))
          .end();
    }
    // A tenth of eight bytes, one bit, and two bits, and 3 bits of the differences.
    assertThat(encoded(rows).length).isLessThan(4000 * 17 / 10 + 300);
  }

  @Test
  void randomNumbersAreNotEncoded() throws Exception {
    TestRows rows = new TestRows(1);
    Random random = new Random(1);
    for (int i = 0; i < 8; i++) {
      rows.begin().number(0, random.nextLong()).end();
    }
    byte[] bytes = rows.bytes();
    // With another number of fields these are no rows.
    assertThat(roundTrip(bytes, rows.rows(), 9, true)).isNull();
    assertThat(roundTrip(bytes, rows.rows() - 1, 1, true)).isNull();
    assertThat(roundTrip(bytes, rows.rows() + 1, 1, true)).isNull();
    assertThat(roundTrip(bytes, 0, 1, true)).isNull();
    assertThat(roundTrip(Arrays.copyOf(bytes, bytes.length - 1), rows.rows(), 1, true)).isNull();
  }

  @Test
  void refusesMoreFieldsThanTheFormatHas() {
    assertThatThrownBy(() -> new RowPlanesEncoder(RowPlanes.MAX_FIELDS + 1, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected 0 to 4096");
  }

  @Test
  void refusesRowsOfAnotherLength() throws Exception {
    TestRows rows = TestRows.random(new Random(3), 5, 100);
    byte[] encoded = encoded(rows);
    int length = rows.bytes().length;
    for (int other : new int[] {length - 8, length + 8, 4}) {
      assertThatThrownBy(() -> decoder.decode(encoded, encoded.length, new byte[length + 8], other))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("planes of a block damaged");
    }
    assertThatThrownBy(() -> decoder.decode(encoded, encoded.length - 1, new byte[length], length))
        .isInstanceOf(SluiceException.class);
  }

  /** The rows of the example in docs/formats.md. */
  static TestRows goldenRows() {
    TestRows rows = new TestRows(3);
    String[] names = {"ash", "oak", "oak", "elm"};
    for (int i = 0; i < names.length; i++) {
      rows.begin().number(0, 1000 + i * 2L).value(1, names[i].getBytes(StandardCharsets.UTF_8));
      if (i != 2) {
        rows.number(2, 7);
      }
      rows.end();
    }
    return rows;
  }

  @Test
  void theBytesAreThoseOfTheGoldenFile() throws Exception {
    byte[] golden = golden();
    TestRows rows = goldenRows();
    RowPlanesEncoder encoder = new RowPlanesEncoder(3, true);
    int length = encoder.encode(rows.bytes(), 0, rows.bytes().length, rows.rows());
    assertThat(HexFormat.of().formatHex(encoder.encoded(), 0, length))
        .isEqualTo(HexFormat.of().formatHex(golden));
    byte[] target = new byte[rows.bytes().length];
    decoder.decode(golden, golden.length, target, target.length);
    assertThat(target).isEqualTo(rows.bytes());
  }

  private static byte[] golden() throws IOException {
    try (InputStream in = RowPlanesTest.class.getResourceAsStream("/golden/row-planes-v1.bin")) {
      return in.readAllBytes();
    }
  }
}
