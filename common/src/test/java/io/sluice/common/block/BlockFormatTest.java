package io.sluice.common.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormatException.Reason;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockFormatTest {
  private static final int FLAG_ALL_UNKNOWN = 0xF8;

  /** The worked example of docs/formats.md. */
  static final BlockHeader EXAMPLE =
      new BlockHeader(
          0x0102030405060708L, 17, 3, 2, 5, 11, 11, BlockCodec.NONE, BlockHeader.FLAG_LAST);

  static final byte[] EXAMPLE_PAYLOAD = "hello world".getBytes(StandardCharsets.US_ASCII);

  @Test
  void writesTheGoldenBytes() throws IOException {
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/block-v2.bin")) {
      golden = in.readAllBytes();
    }
    ByteBuf block = sealed(EXAMPLE, EXAMPLE_PAYLOAD);
    assertThat(HexFormat.of().formatHex(bytesOf(block)))
        .isEqualTo(HexFormat.of().formatHex(golden));
    assertThat(BlockFormat.readVerified(Unpooled.wrappedBuffer(golden), 0, golden.length))
        .isEqualTo(EXAMPLE);
  }

  @Test
  void readsBackAllFieldsFromAnyBufferLayout() throws IOException {
    SplittableRandom random = new SplittableRandom(20261121);
    for (int round = 0; round < 2_000; round++) {
      byte[] payload = new byte[random.nextInt(300)];
      random.nextBytes(payload);
      int flags =
          payload.length == 0
              ? BlockHeader.FLAG_LAST
              : new int[] {0, 1, 2, 4, 5, 6}[random.nextInt(6)];
      BlockHeader header =
          new BlockHeader(
              random.nextLong() & Long.MAX_VALUE,
              random.nextInt() & Integer.MAX_VALUE,
              random.nextInt() & Integer.MAX_VALUE,
              random.nextInt() & Integer.MAX_VALUE,
              random.nextInt() & Integer.MAX_VALUE,
              random.nextInt() & Integer.MAX_VALUE,
              payload.length,
              BlockCodec.ofWireNumber(random.nextInt(4)),
              flags);
      ByteBuf block = sealed(header, payload);
      ByteBuf scattered = scatter(block, random);
      try {
        assertThat(BlockFormat.readVerified(scattered, 0, scattered.writerIndex()))
            .isEqualTo(header);
      } finally {
        scattered.release();
      }
    }
  }

  @Test
  void keepsTheReceiptOfTheLastBlock() throws IOException {
    ByteBuf block = sealed(EXAMPLE, EXAMPLE_PAYLOAD);
    long checksum = new BatchChecksum().of(EXAMPLE_PAYLOAD, 0, EXAMPLE_PAYLOAD.length, 5);
    assertThat(Receipt.read(block, 0)).isEqualTo(new Receipt(5, 11, checksum));

    for (Receipt receipt :
        List.of(
            new Receipt(0, 0, -1),
            new Receipt(Receipt.MAX_COUNT, 0, 0),
            new Receipt(0x0102_0304_0506L, 0x0708_090a_0b0cL, 0x0d0e_0f10_1112_1314L))) {
      BlockFormat.seal(block, 0, EXAMPLE, receipt);
      assertThat(BlockFormat.readVerified(block, 0, block.writerIndex())).isEqualTo(EXAMPLE);
      assertThat(Receipt.read(block, 0)).isEqualTo(receipt);
    }
  }

  @Test
  void refusesAReceiptInABlockThatIsNotTheLast() {
    BlockHeader header = new BlockHeader(1, 0, 0, 0, 5, 11, 11, BlockCodec.NONE, 0);
    for (Receipt receipt :
        List.of(
            new Receipt(1, 0, 0),
            new Receipt(0, 1, 0),
            new Receipt(0, 1L << 40, 0),
            new Receipt(0, 0, 1))) {
      ByteBuf block = sealed(header, EXAMPLE_PAYLOAD);
      BlockFormat.seal(block, 0, header, receipt);
      assertThat(
              catchThrowableOfType(
                      BlockFormatException.class,
                      () -> BlockFormat.readVerified(block, 0, block.writerIndex()))
                  .reason())
          .isEqualTo(Reason.BAD_FIELD);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Receipt.MAX_COUNT + 1})
  void refusesToCreateAReceiptThatDoesNotFit(long count) {
    assertThatThrownBy(() -> new Receipt(count, 0, 0)).hasMessageContaining("records=" + count);
    assertThatThrownBy(() -> new Receipt(0, count, 0)).hasMessageContaining("bytes=" + count);
  }

  @Test
  void aBlockKeepsItsEncoding() throws BlockFormatException {
    BlockHeader header =
        new BlockHeader(1, 0, 0, 0, 5, 99, 11, BlockCodec.LZ4, BlockEncoding.ROW_PLANES, 0);
    ByteBuf block = sealed(header, EXAMPLE_PAYLOAD);
    assertThat(BlockFormat.readVerified(block, 0, block.writerIndex())).isEqualTo(header);
  }

  @Test
  void refusesAnEncodedBlockThatDoesNotHoldWholeRecords() {
    assertThatThrownBy(
            () ->
                new BlockHeader(
                    1,
                    0,
                    0,
                    0,
                    5,
                    99,
                    11,
                    BlockCodec.LZ4,
                    BlockEncoding.ROW_PLANES,
                    BlockHeader.FLAG_CONTINUED))
        .hasMessageContaining("ROW_PLANES in a block that is CONTINUED");
    ByteBuf block =
        sealed(
            new BlockHeader(1, 0, 0, 0, 5, 11, 11, BlockCodec.NONE, BlockHeader.FLAG_CONTINUED),
            EXAMPLE_PAYLOAD);
    block.setByte(BlockHeader.ENCODING_AT, BlockEncoding.ROW_PLANES.wireNumber());
    assertThat(
            catchThrowableOfType(
                    BlockFormatException.class,
                    () -> BlockFormat.readVerified(block, 0, block.writerIndex()))
                .reason())
        .isEqualTo(Reason.BAD_FIELD);
  }

  @Test
  void refusesEveryTruncation() {
    ByteBuf block = sealed(EXAMPLE, EXAMPLE_PAYLOAD);
    for (int end = 0; end < block.writerIndex(); end++) {
      int cut = end;
      BlockFormatException refused =
          catchThrowableOfType(
              BlockFormatException.class, () -> BlockFormat.readVerified(block, 0, cut));
      assertThat(refused.reason()).as("cut at %d", cut).isEqualTo(Reason.TRUNCATED);
    }
  }

  @Test
  void refusesEveryFlippedBit() {
    for (int bit = 0; bit < (BlockHeader.LENGTH + EXAMPLE_PAYLOAD.length) * 8; bit++) {
      ByteBuf block = sealed(EXAMPLE, EXAMPLE_PAYLOAD);
      block.setByte(bit / 8, block.getByte(bit / 8) ^ (1 << (bit % 8)));
      int flipped = bit;
      assertThatThrownBy(() -> BlockFormat.readVerified(block, 0, block.writerIndex()))
          .as("bit %d", flipped)
          .isInstanceOf(BlockFormatException.class);
    }
  }

  @Test
  void reportsTheTypeOfDamage() {
    assertThat(reasonAfterSetting(BlockHeader.MAGIC_AT, 0)).isEqualTo(Reason.BAD_MAGIC);
    assertThat(reasonAfterSetting(BlockHeader.VERSION_AT, 1)).isEqualTo(Reason.BAD_VERSION);
    assertThat(reasonAfterSetting(BlockHeader.FLAGS_AT, FLAG_ALL_UNKNOWN))
        .isEqualTo(Reason.BAD_FLAGS);
    assertThat(reasonAfterSetting(BlockHeader.CODEC_AT, 9)).isEqualTo(Reason.BAD_CODEC);
    assertThat(reasonAfterSetting(BlockHeader.ENCODING_AT, 3)).isEqualTo(Reason.BAD_CODEC);
    assertThat(reasonAfterSetting(BlockHeader.RESERVED_AT, 1)).isEqualTo(Reason.BAD_FIELD);
    assertThat(reasonAfterSetting(BlockHeader.PARTITION_AT + 3, 0x80)).isEqualTo(Reason.BAD_FIELD);
    assertThat(reasonAfterSetting(BlockHeader.LENGTH, 0)).isEqualTo(Reason.BAD_CHECKSUM);
  }

  @ParameterizedTest
  @EnumSource(StatusCode.class)
  void everyStatusHasOneWireNumber(StatusCode code) {
    assertThat(StatusCode.of(code.wire())).isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  void refusesToCreateAnInvalidHeader(int negative) {
    assertThatThrownBy(() -> new BlockHeader(1, negative, 0, 0, 0, 0, 0, BlockCodec.NONE, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("map index");
    assertThatThrownBy(() -> new BlockHeader(1, 0, 0, 0, 0, 0, 0, BlockCodec.NONE, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("empty payload");
    assertThatThrownBy(() -> new BlockHeader(1, 0, 0, 0, 0, 0, 9, BlockCodec.NONE, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LAST and CONTINUED");
  }

  private static Reason reasonAfterSetting(int at, int value) {
    ByteBuf block = sealed(EXAMPLE, EXAMPLE_PAYLOAD);
    block.setByte(at, value);
    return catchThrowableOfType(
            BlockFormatException.class,
            () -> BlockFormat.readVerified(block, 0, block.writerIndex()))
        .reason();
  }

  static ByteBuf sealed(BlockHeader header, byte[] payload) {
    ByteBuf block = Unpooled.buffer(BlockHeader.LENGTH + payload.length);
    block.writerIndex(BlockHeader.LENGTH).writeBytes(payload);
    BlockFormat.seal(block, 0, header);
    return block;
  }

  /** Copies the bytes into several direct components, like a body received into slabs. */
  private static ByteBuf scatter(ByteBuf block, SplittableRandom random) {
    CompositeByteBuf composite = Unpooled.compositeBuffer(1024);
    int at = 0;
    while (at < block.writerIndex()) {
      int length = Math.min(1 + random.nextInt(60), block.writerIndex() - at);
      composite.addComponent(true, Unpooled.directBuffer(length).writeBytes(block, at, length));
      at += length;
    }
    return composite;
  }

  private static byte[] bytesOf(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }
}
