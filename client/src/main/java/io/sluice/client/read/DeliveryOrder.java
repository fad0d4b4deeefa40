package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;

/**
 * Turns decompressed blocks into batches: joins the blocks of a batch, and decides when it is
 * delivered. Owned by one thread.
 */
interface DeliveryOrder {
  /**
   * Adds a block that was not added before, and records it as delivered.
   *
   * @param content borrows: the uncompressed payload in its first {@link
   *     BlockHeader#uncompressedLength} bytes
   * @throws SluiceException if the batches cannot be delivered; the read then fails
   */
  void accept(PartitionProgress progress, int attemptIndex, BlockHeader header, byte[] content)
      throws SluiceException;
}
