package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;

/**
 * Makes contents of decompressed blocks: decides when each is given, and joins the parts of those
 * that span blocks. Belongs to one thread.
 */
interface DeliveryOrder {
  /**
   * Takes a block that has not come before and notes it as received.
   *
   * @param content borrows: its first {@link BlockHeader#uncompressedLength} bytes
   * @throws SluiceException the contents cannot be given at all; the read fails then
   */
  void accept(PartitionProgress progress, int place, BlockHeader header, byte[] content)
      throws SluiceException;
}
