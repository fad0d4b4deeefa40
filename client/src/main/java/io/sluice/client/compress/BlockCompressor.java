package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import java.nio.ByteBuffer;

/** Compresses payloads with one codec. Belongs to one thread. */
public interface BlockCompressor extends AutoCloseable {
  BlockCodec codec();

  /** Most bytes that {@code length} bytes can become. */
  int maxCompressedLength(int length);

  /**
   * Compresses to the target's position, which stays.
   *
   * @param source borrows
   * @param target borrows: has at least {@link #maxCompressedLength} bytes remaining
   * @return bytes written
   */
  int compress(byte[] source, int offset, int length, ByteBuffer target);

  /** Frees what the library holds. Idempotent. */
  @Override
  void close();
}
