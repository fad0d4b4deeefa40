package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.rows.TestRecords;
import io.sluice.client.rows.TestRows;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockEncoding;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockPayloadsTest {
  private static final int FIELDS = 4;

  private static TestRows facts(long seed, int count) {
    Random random = new Random(seed);
    TestRows rows = new TestRows(FIELDS);
    for (int i = 0; i < count; i++) {
      rows.begin()
          .number(0, 1_000_000 + i * 4L)
          .number(1, random.nextInt(10_000))
          .number(2, random.nextInt(50) * 100L)
          .value(3, ("name " + random.nextInt(20)).getBytes(StandardCharsets.UTF_8))
          .end();
    }
    return rows;
  }

  /** Writes payloads as a session does, and keeps the last one. */
  private static final class Written {
    private final BlockPayloads payloads;
    private int length;

    Written(BlockCompressor compressor, RowBlocks rows) {
      payloads = new BlockPayloads(compressor, null, rows);
    }

    Written add(TestRows rows, int records) throws Exception {
      return add(rows.bytes(), records);
    }

    Written add(byte[] bytes, int records) throws Exception {
      int room = payloads.room(bytes.length);
      ByteBuf body = Unpooled.directBuffer(room, room);
      try {
        payloads.write(bytes, 0, bytes.length, records, body, 0);
        length = body.writerIndex();
        assertThat(length).isEqualTo(payloads.length());
      } finally {
        body.release();
      }
      return this;
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void encodedRowsAreSmallerWithEveryCodec(BlockCodec codec) throws Exception {
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, 1)) {
      TestRows rows = facts(1, 1000);
      Written plain = new Written(compressor, null).add(rows, rows.rows());
      Written encoded = new Written(compressor, new RowBlocks(FIELDS)).add(rows, rows.rows());
      assertThat(encoded.payloads.encoding()).isEqualTo(BlockEncoding.ROW_PLANES);
      assertThat(encoded.length).isLessThan(plain.length * 7 / 10);
      assertThat(plain.payloads.encoding()).isEqualTo(BlockEncoding.NONE);
      assertThat(plain.payloads.plainLength()).isEqualTo(plain.length);
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void theReportedLengthIsThatOfRowsThatAreNotEncoded(BlockCodec codec) throws Exception {
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, 1)) {
      Written plain = new Written(compressor, null);
      Written encoded = new Written(compressor, new RowBlocks(FIELDS));
      long expected = 0;
      long found = 0;
      for (int block = 0; block < 40; block++) {
        TestRows rows = facts(block, 100);
        expected += plain.add(rows, rows.rows()).length;
        found += encoded.add(rows, rows.rows()).payloads.plainLength();
        assertThat(encoded.payloads.plainCodec(rows.bytes().length)).isEqualTo(codec);
      }
      assertThat(found).isBetween(expected * 97 / 100, expected * 103 / 100);
    }
  }

  @Test
  void rowsThatDoNotGetSmallerStayPlain() throws Exception {
    TestRows rows = new TestRows(FIELDS);
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] value = new byte[400];
      random.nextBytes(value);
      rows.begin().value(0, value).end();
    }
    try (BlockCompressor compressor = BlockCodecs.compressor(BlockCodec.LZ4, 1)) {
      Written plain = new Written(compressor, null).add(rows, rows.rows());
      RowBlocks shared = new RowBlocks(FIELDS);
      Written found = new Written(compressor, shared);
      for (int i = 0; i < 10; i++) {
        assertThat(found.add(rows, rows.rows()).length).isLessThanOrEqualTo(plain.length);
      }
      assertThat(shared.choose(rows.bytes().length, rows.rows())).isEqualTo(RowBlocks.Choice.PLAIN);
    }
  }

  @Test
  void recordsThatAreNotWholeStayPlain() throws Exception {
    try (BlockCompressor compressor = BlockCodecs.compressor(BlockCodec.LZ4, 1)) {
      Written found = new Written(compressor, new RowBlocks(FIELDS)).add(facts(1, 500), 0);
      assertThat(found.payloads.encoding()).isEqualTo(BlockEncoding.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void encodedRecordsAreSmallerWithEveryCodec(BlockCodec codec) throws Exception {
    Random random = new Random(1);
    TestRecords records = new TestRecords();
    for (int i = 0; i < 1000; i++) {
      byte[] value = ByteBuffer.allocate(8).putLong((1L << 40) | random.nextInt(1 << 20)).array();
      records.add(ByteBuffer.allocate(8).putLong(i * 50L + random.nextInt(50)).array(), value);
    }
    byte[] bytes = records.end().bytes();
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, 1)) {
      Written plain = new Written(compressor, null).add(bytes, 1000);
      RowBlocks shared = RowBlocks.ofRecords(TestRecords.LEAD_BYTES);
      Written encoded = new Written(compressor, shared).add(bytes, 1000);
      assertThat(encoded.payloads.encoding()).isEqualTo(BlockEncoding.RECORD_PLANES);
      assertThat(encoded.length).isLessThan(plain.length * 9 / 10);
      // A segment whose codec is Hadoop's has no records that are visible.
      encoded.add(new byte[bytes.length], 1000);
      assertThat(encoded.payloads.encoding()).isEqualTo(BlockEncoding.NONE);
    }
  }

  @Test
  void bytesThatAreNoRowsStayPlain() throws Exception {
    try (BlockCompressor compressor = BlockCodecs.compressor(BlockCodec.LZ4, 1)) {
      Written found = new Written(compressor, new RowBlocks(FIELDS + 9)).add(facts(1, 500), 500);
      assertThat(found.payloads.encoding()).isEqualTo(BlockEncoding.NONE);
    }
  }

  /** Adds bytes before and behind a payload. */
  private record Padding(int before, int behind) implements PayloadTransform {
    @Override
    public byte[] encode(byte[] payload, int offset, int length) {
      byte[] padded = new byte[before + length + behind];
      System.arraycopy(payload, offset, padded, before, Math.min(length, padded.length));
      return padded;
    }

    @Override
    public byte[] decode(byte[] payload, int offset, int length) {
      throw new AssertionError("only pushes");
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void transformsTheCompressedPayload(BlockCodec codec) throws Exception {
    byte[] bytes = facts(1, 500).bytes();
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, 1)) {
      BlockPayloads plain = new BlockPayloads(compressor, null, null);
      BlockPayloads padded = new BlockPayloads(compressor, new Padding(16, 1008), null);
      int room = padded.room(bytes.length);
      ByteBuf expected = Unpooled.directBuffer(room, room);
      ByteBuf found = Unpooled.directBuffer(room, room);
      try {
        plain.write(bytes, 0, bytes.length, 0, expected, 0);
        padded.write(bytes, 0, bytes.length, 0, found, 0);
        assertThat(padded.length()).isEqualTo(plain.length() + 1024).isEqualTo(found.writerIndex());
        assertThat(padded.plainLength()).isEqualTo(padded.length());
        assertThat(found.slice(16, plain.length())).isEqualTo(expected);
        assertThat(padded.codec()).isEqualTo(codec);
        assertThat(padded.flags()).isEqualTo(BlockHeader.FLAG_ENCRYPTED);
        assertThat(plain.flags()).isZero();
      } finally {
        expected.release();
        found.release();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1025})
  void refusesATransformWithAResultOfInvalidLength(int added) throws Exception {
    try (BlockCompressor compressor = BlockCodecs.compressor(BlockCodec.NONE, 1)) {
      BlockPayloads payloads = new BlockPayloads(compressor, new Padding(0, added), null);
      int room = payloads.room(1);
      ByteBuf body = Unpooled.directBuffer(room, room);
      try {
        assertThatThrownBy(() -> payloads.write(new byte[1], 0, 1, 0, body, 0))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("outputBytes=" + (1 + added), "maxAddedBytes=1024");
      } finally {
        body.release();
      }
    }
  }
}
