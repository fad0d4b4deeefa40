package io.sluice.common.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class BlockFuzzTest {
  private static final int CRC_LENGTH = 4;

  private static byte[] golden() throws IOException {
    try (InputStream in = BlockFuzzTest.class.getResourceAsStream("/golden/block-v2.bin")) {
      return in.readAllBytes();
    }
  }

  @Test
  void aBlockIsRefusedOrEncodesToTheSameHeader() throws Exception {
    DecoderFuzz.of(golden())
        .refusing(BlockFormatException.class)
        .sealing(BlockFuzzTest::sealed)
        .run(
            input -> {
              ByteBuf block = Unpooled.wrappedBuffer(input);
              BlockHeader header = BlockFormat.readVerified(block, 0, input.length);
              assertThat(header.blockLength()).isBetween(BlockHeader.LENGTH, input.length);
              ByteBuf again = Unpooled.buffer(BlockHeader.LENGTH);
              header.write(again, 0);
              Receipt.read(block, 0).write(again, 0);
              int checked = BlockHeader.LENGTH - CRC_LENGTH;
              assertThat(again.slice(0, checked)).isEqualTo(block.slice(0, checked));
            });
  }

  private static byte[] sealed(byte[] input) {
    if (input.length < BlockHeader.LENGTH) {
      return input;
    }
    byte[] changed = input.clone();
    ByteBuf block = Unpooled.wrappedBuffer(changed);
    long length = BlockHeader.claimedLength(block, 0);
    Crc32c crc = new Crc32c();
    crc.update(block, 0, BlockHeader.CRC_AT);
    if (length > BlockHeader.LENGTH && length <= changed.length) {
      crc.update(block, BlockHeader.LENGTH, (int) length - BlockHeader.LENGTH);
    }
    block.setIntLE(BlockHeader.CRC_AT, crc.value());
    return changed;
  }
}
