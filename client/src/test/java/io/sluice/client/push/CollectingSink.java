package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the headers and receipts of all blocks, each of which must be whole. */
final class CollectingSink implements LocalSink {
  private final List<BlockHeader> blocks = new ArrayList<>();
  private final Map<Integer, Receipt> receipts = new HashMap<>();
  private int frames;
  private boolean full;

  /** Rejects all later blocks. */
  void fill() {
    full = true;
  }

  List<BlockHeader> blocks() {
    return blocks;
  }

  /** The receipt of each partition that was ended. */
  Map<Integer, Receipt> receipts() {
    return receipts;
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
      if (header.isLast()) {
        receipts.put(header.partition(), Receipt.read(body, at));
      }
      at += header.blockLength();
    }
  }
}
