package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.nio.ByteBuffer;

/** Copies the payload without compression. */
final class NoCompressor implements BlockCompressor {
  @Override
  public BlockCodec codec() {
    return BlockCodec.NONE;
  }

  @Override
  public int maxCompressedLength(int length) {
    return length;
  }

  @Override
  public int compress(byte[] source, int offset, int length, ByteBuffer target) {
    target.put(target.position(), source, offset, length);
    return length;
  }

  @Override
  public void close() {}
}
