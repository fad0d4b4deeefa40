package io.sluice.client.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.sluice.common.block.BlockCodec;
import java.nio.ByteBuffer;

/** A Zstandard frame; uses a temporary array, because the library needs one. */
final class ZstdCompressor implements BlockCompressor {
  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private byte[] scratch = new byte[0];

  ZstdCompressor(int level) {
    context.setLevel(level);
  }

  @Override
  public BlockCodec codec() {
    return BlockCodec.ZSTD;
  }

  @Override
  public int maxCompressedLength(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public int compress(byte[] source, int offset, int length, ByteBuffer target) {
    int maxLength = maxCompressedLength(length);
    if (scratch.length < maxLength) {
      scratch = new byte[maxLength];
    }
    int compressed = context.compressByteArray(scratch, 0, scratch.length, source, offset, length);
    target.put(target.position(), scratch, 0, compressed);
    return compressed;
  }

  @Override
  public void close() {
    context.close();
  }
}
