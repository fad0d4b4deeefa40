package io.sluice.client.push;

import io.sluice.common.block.BlockCodec;

/**
 * What each block adds to the {@link PushSession#partitionLengths length} of its partition, for an
 * engine that compares lengths with those of its own map output. Stateless; thread-safe.
 */
@FunctionalInterface
public interface BlockSizes {
  /** Compressed and encrypted bytes. */
  BlockSizes PAYLOADS = (first, codec, contentLength, payloadLength) -> payloadLength;

  /**
   * The bytes that a block counts.
   *
   * @param first whether it is the first block of its partition
   * @param codec of the payload: none where compression gained nothing
   * @param contentLength bytes before compression
   * @param payloadLength bytes after compression and encryption
   * @return at least 1
   */
  int of(boolean first, BlockCodec codec, int contentLength, int payloadLength);
}
