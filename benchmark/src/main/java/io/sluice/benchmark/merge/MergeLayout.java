package io.sluice.benchmark.merge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.util.SplittableRandom;

/**
 * Shuffle with one block of every map task for every partition. Block sizes are uniformly
 * distributed between two limits. Payloads are zeros; headers and checksums are valid.
 *
 * @param minBlock smallest block in bytes, header included
 * @param maxBlock largest block in bytes
 */
record MergeLayout(int maps, int reduces, int minBlock, int maxBlock, long seed) {
  /** Layout with a share of the reduce partitions, at least one. */
  MergeLayout scaled(double scale) {
    int fewer = (int) Math.max(1, Math.round(reduces * scale));
    return new MergeLayout(maps, fewer, minBlock, maxBlock, seed);
  }

  /** Returns owned a frame with the sealed blocks of one map task, ordered by partition. */
  ByteBuf frame(int map) {
    SplittableRandom random = new SplittableRandom(seed * 31 + map);
    CompositeByteBuf frame = Unpooled.compositeBuffer(2 * reduces);
    ByteBuf sealing = Unpooled.directBuffer(maxBlock).setZero(0, maxBlock);
    ByteBuf zeros = Unpooled.directBuffer(maxBlock).setZero(0, maxBlock).writerIndex(maxBlock);
    for (int reduce = 0; reduce < reduces; reduce++) {
      int payload = minBlock + random.nextInt(maxBlock - minBlock + 1) - BlockHeader.LENGTH;
      BlockHeader header =
          new BlockHeader(
              map, map, reduce, 0, 1, payload, payload, BlockCodec.NONE, BlockHeader.FLAG_LAST);
      BlockFormat.seal(sealing, 0, header);
      frame.addComponent(true, sealing.copy(0, BlockHeader.LENGTH));
      frame.addComponent(true, zeros.retainedSlice(0, payload));
    }
    zeros.release();
    sealing.release();
    return frame;
  }
}
