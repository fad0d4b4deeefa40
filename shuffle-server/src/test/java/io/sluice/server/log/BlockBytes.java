package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.util.Random;

/** Creates blocks for tests. */
public final class BlockBytes {
  private BlockBytes() {}

  /** The bytes of a sealed block with random payload. */
  public static byte[] block(
      long attempt, int mapIndex, int partition, int sequence, boolean last, byte[] payload) {
    BlockHeader header =
        new BlockHeader(
            attempt,
            mapIndex,
            partition,
            sequence,
            1,
            payload.length,
            payload.length,
            BlockCodec.NONE,
            last ? BlockHeader.FLAG_LAST : 0);
    ByteBuf buffer = Unpooled.buffer(header.blockLength());
    buffer.setBytes(BlockHeader.LENGTH, payload);
    BlockFormat.seal(buffer, 0, header);
    return buffer.array();
  }

  public static byte[] payload(Random random, int length) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    return payload;
  }
}
