package io.sluice.client.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalOutputFileFuzzTest {
  private static final int PARTITIONS = 4;

  @TempDir Path directory;

  private static byte[] blocks(int... partitions) {
    ByteBuf all = Unpooled.buffer();
    for (int partition : partitions) {
      int at = all.writerIndex();
      all.writeZero(BlockHeader.LENGTH).writeBytes(new byte[] {1, 2, 3, 4, 5});
      BlockFormat.seal(all, at, new BlockHeader(9, 3, partition, 0, 1, 5, 5, BlockCodec.NONE, 0));
    }
    return ByteBufUtil.getBytes(all);
  }

  @Test
  void aFrameIsRejectedOrSortedByPartition() {
    Path temporary = directory.resolve("temporary");
    Path target = directory.resolve("target");
    DecoderFuzz.of(blocks(0, 1, 3), blocks(2, 0, 1, 1, 0))
        .refusing(IOException.class)
        // A partition outside of the output.
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              try (LocalOutputFile file = new LocalOutputFile(temporary, PARTITIONS)) {
                file.accept(Unpooled.wrappedBuffer(input));
                assertThat(file.bytes()).isEqualTo(input.length);
                assertSorted(file.finish(target), Files.readAllBytes(target), input.length);
              } finally {
                assertThat(temporary).doesNotExist();
              }
            });
  }

  private static void assertSorted(long[] lengths, byte[] file, int length) throws IOException {
    assertThat(lengths).hasSize(PARTITIONS);
    assertThat(file).hasSize(length);
    ByteBuf blocks = Unpooled.wrappedBuffer(file);
    int at = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int end = at + (int) lengths[partition];
      while (at < end) {
        BlockHeader header = BlockHeader.read(blocks, at, end);
        assertThat(header.partition()).isEqualTo(partition);
        at += header.blockLength();
      }
    }
    assertThat(at).isEqualTo(length);
  }
}
