package io.sluice.it.recovery;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.util.Arrays;
import java.util.Random;

/** Blocks whose bytes are derived from their name, so that tests need not store them. */
final class TestBlocks {
  private static final int MAX_PAYLOAD = 16_000;

  /** Name of a block. */
  record Id(long attempt, int partition, int sequence) {}

  private TestBlocks() {}

  static byte[] payload(Id id) {
    Random random = new Random(id.attempt() * 31_337 + id.partition() * 101L + id.sequence());
    byte[] payload = new byte[1 + random.nextInt(MAX_PAYLOAD)];
    random.nextBytes(payload);
    return payload;
  }

  /** Appends a sealed block. */
  static void write(ByteBuf body, Id id, boolean last) {
    byte[] payload = payload(id);
    int at = body.writerIndex();
    body.writeZero(BlockHeader.LENGTH).writeBytes(payload);
    BlockFormat.seal(
        body,
        at,
        new BlockHeader(
            id.attempt(),
            (int) id.attempt(),
            id.partition(),
            id.sequence(),
            1,
            payload.length,
            payload.length,
            BlockCodec.NONE,
            last ? BlockHeader.FLAG_LAST : 0));
  }

  /** Returns owned. */
  static ByteBuf newBody() {
    return PooledByteBufAllocator.DEFAULT.directBuffer();
  }

  static Id id(BlockHeader header) {
    return new Id(header.mapAttempt(), header.partition(), header.sequence());
  }

  /** Whether a verified block has the bytes derived from its name. */
  static boolean isRight(ByteBuf log, int at, BlockHeader header) {
    return Arrays.equals(
        ByteBufUtil.getBytes(log, at + BlockHeader.LENGTH, header.payloadLength()),
        payload(id(header)));
  }
}
