package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.nio.ByteBuffer;

/** Compresses payloads with one codec. Owned by one thread. */
public interface BlockCompressor extends AutoCloseable {
  BlockCodec codec();

  /** Maximum compressed size of {@code length} bytes. */
  int maxCompressedLength(int length);

  /**
   * Compresses to the position of the target, which does not change.
   *
   * @param source borrows
   * @param target borrows: at least {@link #maxCompressedLength} bytes remaining
   * @return bytes written
   */
  int compress(byte[] source, int offset, int length, ByteBuffer target);

  /** Frees the resources of the library. Idempotent. */
  @Override
  void close();
}
