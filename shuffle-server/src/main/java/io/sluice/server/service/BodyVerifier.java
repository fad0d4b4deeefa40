package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.log.BlockBatch;

/**
 * Checks every block of a body. A body is a row of slabs; a block that lies in one slab, as most
 * do, is read there, because access through the composite costs a search each time.
 */
final class BodyVerifier {
  /** A guess at the size of a block, for the first size of the batch. */
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

  /** Returns the headers of all blocks, whose checksums are right and which fill the body. */
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
