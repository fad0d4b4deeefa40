package io.sluice.spark.read;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The contents of the blocks that one reduce task reads, verified, decrypted and decompressed. A
 * record never spans two contents. Used by one thread.
 */
public interface BlockContents extends AutoCloseable {
  /**
   * Waits, for a bounded time, for the next content.
   *
   * @return lends until the next call: at least one byte; null when every expected block has been
   *     given
   */
  ByteBuffer next() throws IOException;

  /** Frees what it holds, at any time. Idempotent. */
  @Override
  void close();
}
