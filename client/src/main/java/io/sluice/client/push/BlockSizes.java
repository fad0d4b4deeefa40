package io.sluice.client.push;

import io.sluice.common.block.BlockCodec;

/**
 * Computes how many bytes a block adds to the {@link PushSession#partitionLengths length} of its
 * partition. An engine that compares these lengths with its own map output supplies its formula.
 * Stateless; thread-safe.
 */
@FunctionalInterface
public interface BlockSizes {
  /** Counts the payload. */
  BlockSizes PAYLOADS = (first, codec, uncompressedLength, payloadLength) -> payloadLength;

  /**
   * Returns the bytes to add for a block.
   *
   * @param first whether it is the first block of its partition
   * @param codec codec of the payload; NONE if compression did not make it smaller
   * @param uncompressedLength bytes before compression
   * @param payloadLength bytes after compression and encryption; an estimate of them without the
   *     encoding if the block is encoded
   * @return at least 1
   */
  int of(boolean first, BlockCodec codec, int uncompressedLength, int payloadLength);
}
