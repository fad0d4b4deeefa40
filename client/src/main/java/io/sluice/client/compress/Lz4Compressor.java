package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** LZ4 block format; compresses from the array directly into the target. */
final class Lz4Compressor implements BlockCompressor {
  private final LZ4Compressor lz4 = LZ4Factory.fastestInstance().fastCompressor();

  @Override
  public BlockCodec codec() {
    return BlockCodec.LZ4;
  }

  @Override
  public int maxCompressedLength(int length) {
    return lz4.maxCompressedLength(length);
  }

  @Override
  public int compress(byte[] source, int offset, int length, ByteBuffer target) {
    return lz4.compress(
        ByteBuffer.wrap(source), offset, length, target, target.position(), target.remaining());
  }

  @Override
  public void close() {}
}
