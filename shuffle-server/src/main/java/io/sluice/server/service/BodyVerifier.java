package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.log.BlockBatch;

/**
 * Verifies every block of a body. A body consists of slabs. A block inside one slab, the usual
 * case, is read from the slab directly, because each access through the composite buffer costs a
 * search.
 */
final class BodyVerifier {
  /** Assumed size of a block, for the initial capacity of the batch. */
  private static final int USUAL_BLOCK_BYTES = 16 << 10;

  private final ByteBuf body;
  private final CompositeByteBuf slabs;
  private int slab;
  private int slabStart;
  private ByteBuf slabBytes;

  BodyVerifier(ByteBuf body) {
    this.body = body;
    this.slabs = body instanceof CompositeByteBuf composite ? composite : null;
    this.slabBytes = slabs == null ? body : slabs.internalComponent(0);
  }

  /**
   * Returns the headers of all blocks. Fails unless every checksum matches and the blocks fill the
   * body.
   */
  BlockBatch verify() throws BlockFormatException {
    int end = body.writerIndex();
    BlockBatch batch = new BlockBatch(end / USUAL_BLOCK_BYTES + 1);
    while (batch.length() < end) {
      batch.add(verifyBlock(batch.length(), end));
    }
    return batch;
  }

  private BlockHeader verifyBlock(int index, int end) throws BlockFormatException {
    while (slabs != null && index >= slabStart + slabBytes.capacity()) {
      slabStart += slabBytes.capacity();
      slab++;
      slabBytes = slabs.internalComponent(slab);
    }
    int local = index - slabStart;
    int room = Math.min(slabBytes.capacity(), end - slabStart) - local;
    if (slabs == null || room < BlockHeader.LENGTH) {
      return BlockFormat.readVerified(body, index, end);
    }
    BlockHeader header = BlockHeader.read(body, index, end);
    if (header.blockLength() <= room) {
      BlockFormat.verify(slabBytes, local, header);
    } else {
      BlockFormat.verify(body, index, header);
    }
    return header;
  }
}
