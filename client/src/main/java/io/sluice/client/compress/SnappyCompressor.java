package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/** Raw Snappy format; uses a temporary array, because the library needs one. */
final class SnappyCompressor implements BlockCompressor {
  private byte[] scratch = new byte[0];

  SnappyCompressor() {
    // Loads the native library now, so that its absence is detected here.
    Snappy.getNativeLibraryVersion();
    Snappy.maxCompressedLength(0);
  }

  @Override
  public BlockCodec codec() {
    return BlockCodec.SNAPPY;
  }

  @Override
  public int maxCompressedLength(int length) {
    return Snappy.maxCompressedLength(length);
  }

  @Override
  public int compress(byte[] source, int offset, int length, ByteBuffer target) {
    int maxLength = maxCompressedLength(length);
    if (scratch.length < maxLength) {
      scratch = new byte[maxLength];
    }
    try {
      int compressed = Snappy.compress(source, offset, length, scratch, 0);
      target.put(target.position(), scratch, 0, compressed);
      return compressed;
    } catch (IOException e) {
      throw new UncheckedIOException("Snappy failed although the target is large enough", e);
    }
  }

  @Override
  public void close() {}
}
