package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares the received records and bytes of each attempt in one partition with the receipt in its
 * last block. Stores totals only for incomplete attempts with several blocks. Owned by one thread.
 */
final class ReceiptChecks {
  // By attempt index; null until the first entry.
  private Map<Integer, Totals> open;

  private static final class Totals {
    private long records;
    private long bytes;
    private Receipt receipt;
  }

  /**
   * Counts a block that has not arrived before.
   *
   * @param receipt receipt of the block; null unless it is the last of its attempt
   * @param whole whether every block of the attempt has arrived
   * @throws SluiceException INTERNAL if the attempt is whole and its records or bytes differ from
   *     its receipt
   */
  void add(int partition, int attemptIndex, BlockHeader header, Receipt receipt, boolean whole)
      throws SluiceException {
    if (receipt != null && header.sequence() == 0) {
      compare(partition, header, header.recordCount(), header.uncompressedLength(), receipt);
      return;
    }
    if (open == null) {
      open = new HashMap<>();
    }
    Totals totals = open.computeIfAbsent(attemptIndex, i -> new Totals());
    totals.records += header.recordCount();
    totals.bytes += header.uncompressedLength();
    if (receipt != null) {
      totals.receipt = receipt;
    }
    if (whole) {
      open.remove(attemptIndex);
      compare(partition, header, totals.records, totals.bytes, totals.receipt);
    }
  }

  private static void compare(
      int partition, BlockHeader header, long records, long bytes, Receipt receipt)
      throws SluiceException {
    if (records != receipt.records() || bytes != receipt.bytes()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "data does not match the receipt of the map task: partition="
              + partition
              + " attempt="
              + header.mapAttempt()
              + " records="
              + records
              + " expectedRecords="
              + receipt.records()
              + " bytes="
              + bytes
              + " expectedBytes="
              + receipt.bytes());
    }
  }
}
