package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Collects the headers of all blocks, each of which must be whole. */
final class CollectingSink implements LocalSink {
  private final List<BlockHeader> blocks = new ArrayList<>();
  private int frames;
  private boolean full;

  /** Rejects all later blocks. */
  void fill() {
    full = true;
  }

  List<BlockHeader> blocks() {
    return blocks;
  }

  int frames() {
    return frames;
  }

  @Override
  public void accept(ByteBuf body) throws IOException {
    if (full) {
      throw new IOException("No space left on device");
    }
    frames++;
    for (int at = body.readerIndex(); at < body.writerIndex(); ) {
      BlockHeader header = BlockFormat.readVerified(body, at, body.writerIndex());
      blocks.add(header);
      at += header.blockLength();
    }
  }
}
