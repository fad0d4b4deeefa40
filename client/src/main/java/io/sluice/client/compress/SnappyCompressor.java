package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/** Raw Snappy; through an array, which is what the library takes. */
final class SnappyCompressor implements BlockCompressor {
  private byte[] scratch = new byte[0];

  SnappyCompressor() {
    // Loads the native library now, so that its absence is found here.
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
    int most = maxCompressedLength(length);
    if (scratch.length < most) {
      scratch = new byte[most];
    }
    try {
      int compressed = Snappy.compress(source, offset, length, scratch, 0);
      target.put(target.position(), scratch, 0, compressed);
      return compressed;
    } catch (IOException e) {
      throw new UncheckedIOException("snappy cannot fail on an array with room", e);
    }
  }

  @Override
  public void close() {}
}
