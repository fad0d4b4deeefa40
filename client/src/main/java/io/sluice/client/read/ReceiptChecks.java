package io.sluice.client.read;

import io.sluice.common.block.Receipt;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares the batches that a read delivers of each attempt in one partition with the receipt of
 * the map task. Stores totals only for attempts of which a batch or the last block has arrived, and
 * which are not delivered completely. Owned by one thread.
 */
final class ReceiptChecks {
  // By attempt index; null until the first entry.
  private Map<Integer, Totals> open;

  private static final class Totals {
    private long records;
    private long bytes;
    private long checksum;
    private Receipt receipt;
  }

  private Totals totals(int attemptIndex) {
    if (open == null) {
      open = new HashMap<>();
    }
    return open.computeIfAbsent(attemptIndex, i -> new Totals());
  }

  /** Sets the receipt of an attempt, from its last block. */
  void expect(int attemptIndex, Receipt receipt) {
    totals(attemptIndex).receipt = receipt;
  }

  /** Adds a batch that is delivered. */
  void add(int attemptIndex, int records, int bytes, long checksum) {
    Totals totals = totals(attemptIndex);
    totals.records += records;
    totals.bytes += bytes;
    totals.checksum += checksum;
  }

  /**
   * Ends an attempt whose batches were all added and whose receipt is set.
   *
   * @return null if they match, else the difference, in one line
   */
  String end(int attemptIndex) {
    Totals totals = open.remove(attemptIndex);
    Receipt receipt = totals.receipt;
    if (totals.records == receipt.records()
        && totals.bytes == receipt.bytes()
        && totals.checksum == receipt.checksum()) {
      return null;
    }
    return String.format(
        "records=%d expectedRecords=%d bytes=%d expectedBytes=%d checksum=%016x"
            + " expectedChecksum=%016x",
        totals.records,
        receipt.records(),
        totals.bytes,
        receipt.bytes(),
        totals.checksum,
        receipt.checksum());
  }
}
