package io.sluice.spark.engine;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The block contents that one reduce task reads. A content is the verified, decrypted and
 * decompressed payload of one block. A record never spans two contents. Used by one thread.
 */
public interface BlockContents extends AutoCloseable {
  /**
   * Returns the next content; waits for a bounded time.
   *
   * @return lends until the next call: at least one byte, in an array; null after the last expected
   *     block
   */
  ByteBuffer next() throws IOException;

  /** Releases all memory; may be called at any time. Idempotent. */
  @Override
  void close();
}
