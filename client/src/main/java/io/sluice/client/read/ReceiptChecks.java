package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares what has come of each attempt in one partition with the receipt of its last block.
 * Belongs to one thread. Keeps totals only of attempts that have several blocks and are not whole.
 */
final class ReceiptChecks {
  // By index of the attempt; only where there are any.
  private Map<Integer, Totals> open;

  private static final class Totals {
    private long records;
    private long bytes;
    private Receipt receipt;
  }

  /**
   * Counts a block that has not come before.
   *
   * @param receipt of the block; null unless it is the last of its attempt
   * @param whole whether every block of the attempt has come
   * @throws SluiceException INTERNAL if the attempt is whole and has other records or bytes than
   *     its receipt says
   */
  void add(int partition, int index, BlockHeader header, Receipt receipt, boolean whole)
      throws SluiceException {
    if (receipt != null && header.sequence() == 0) {
      compare(partition, header, header.recordCount(), header.uncompressedLength(), receipt);
      return;
    }
    if (open == null) {
      open = new HashMap<>();
    }
    Totals totals = open.computeIfAbsent(index, i -> new Totals());
    totals.records += header.recordCount();
    totals.bytes += header.uncompressedLength();
    if (receipt != null) {
      totals.receipt = receipt;
    }
    if (whole) {
      open.remove(index);
      compare(partition, header, totals.records, totals.bytes, totals.receipt);
    }
  }

  private static void compare(
      int partition, BlockHeader header, long records, long bytes, Receipt receipt)
      throws SluiceException {
    if (records != receipt.records() || bytes != receipt.bytes()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "partition "
              + partition
              + " of map attempt "
              + header.mapAttempt()
              + " has "
              + records
              + " records and "
              + bytes
              + " bytes, its map task wrote "
              + receipt.records()
              + " records and "
              + receipt.bytes()
              + " bytes");
    }
  }
}
