package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.rows.RecordPlanesEncoder;
import io.sluice.client.rows.RowPlanesEncoder;
import io.sluice.client.rows.TestRecords;
import io.sluice.client.rows.TestRows;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockEncoding;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadReaderTest {
  private static final int MAX_BLOCK_BYTES = 1 << 20;

  /** The length that the encoded rows have. */
  private static final int OWN_LENGTH = -1;

  private final PayloadReader reader =
      new PayloadReader(null, BlockCodecs.decompressor(MAX_BLOCK_BYTES));

  private static byte[] rows() {
    TestRows rows = new TestRows(2);
    for (int i = 0; i < 100; i++) {
      rows.begin().number(0, i).end();
    }
    return rows.bytes();
  }

  /** The encoded rows after {@code claimedLength}. */
  private static ByteBuf payload(int claimedLength, int cut) {
    RowPlanesEncoder encoder = new RowPlanesEncoder(2, true);
    byte[] rows = rows();
    int length = encoder.encode(rows, 0, rows.length, 100);
    return Unpooled.buffer()
        .writeIntLE(claimedLength == OWN_LENGTH ? length : claimedLength)
        .writeBytes(encoder.encoded(), 0, length - cut);
  }

  private byte[] read(ByteBuf payload, int length) throws Exception {
    return read(payload, length, BlockEncoding.ROW_PLANES);
  }

  private byte[] read(ByteBuf payload, int length, BlockEncoding encoding) throws Exception {
    return reader.read(
        payload,
        0,
        new BlockHeader(
            1, 1, 1, 0, 100, length, payload.readableBytes(), BlockCodec.NONE, encoding, 0));
  }

  @Test
  void rowsComeBack() throws Exception {
    byte[] rows = rows();
    assertThat(read(payload(OWN_LENGTH, 0), rows.length)).startsWith(rows);
  }

  @Test
  void recordsComeBack() throws Exception {
    TestRecords records = new TestRecords();
    for (int i = 0; i < 100; i++) {
      records.add(new byte[] {1, 2, 3, (byte) i}, new byte[] {4, 5});
    }
    byte[] bytes = records.end().bytes();
    RecordPlanesEncoder encoder = new RecordPlanesEncoder(TestRecords.LEAD_BYTES, true);
    int length = encoder.encode(bytes, 0, bytes.length, 100);
    byte[] encoded = encoder.encoded();
    assertThat(
            read(
                Unpooled.buffer().writeIntLE(length).writeBytes(encoded, 0, length),
                bytes.length,
                BlockEncoding.RECORD_PLANES))
        .startsWith(bytes);
    assertThatThrownBy(
            () ->
                read(
                    Unpooled.buffer().writeIntLE(length).writeBytes(encoded, 0, length),
                    bytes.length,
                    BlockEncoding.ROW_PLANES))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void aPayloadOfAnotherLengthIsACorruptBlock() {
    assertCorrupt(payload(OWN_LENGTH, 1), rows().length);
    assertCorrupt(payload(OWN_LENGTH, 0), rows().length - 28);
    assertCorrupt(payload(OWN_LENGTH, 0), rows().length + 28);
    assertCorrupt(Unpooled.wrappedBuffer(new byte[] {1, 0, 0}), 28);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anInvalidLengthOfEncodedRowsIsACorruptBlock(int claimedLength) {
    assertCorrupt(payload(claimedLength, 0), rows().length);
  }

  @Test
  void encodedRowsThatAreNotSmallerAreACorruptBlock() {
    byte[] rows = rows();
    assertCorrupt(
        Unpooled.buffer().writeIntLE(rows.length).writeBytes(new byte[rows.length]), rows.length);
  }

  @Test
  void moreBytesThanABlockMayHaveAreRefusedBeforeTheyAreAllocated() {
    assertThatThrownBy(() -> read(payload(OWN_LENGTH, 0), MAX_BLOCK_BYTES + 1))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("limit=" + MAX_BLOCK_BYTES);
  }

  private void assertCorrupt(ByteBuf payload, int length) {
    assertThat(catchThrowableOfType(SluiceException.class, () -> read(payload, length)).code())
        .isEqualTo(StatusCode.BLOCK_CORRUPT);
  }
}
