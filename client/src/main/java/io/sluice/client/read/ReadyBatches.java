package io.sluice.client.read;

import io.sluice.common.block.BatchChecksum;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Batches that are ready for delivery, in this order. Compares each attempt with its receipt before
 * its last batch is delivered. Owned by one thread.
 */
final class ReadyBatches {
  private final int maxBatchBytes;
  private final Mismatches mismatches;
  private final BatchChecksum checksum = new BatchChecksum();
  private final Deque<Entry> ready = new ArrayDeque<>();
  private long matched;

  /** Receives attempts whose batches differ from their receipts. */
  interface Mismatches {
    void add(PartitionProgress progress, int attemptIndex, String difference);
  }

  /**
   * @param batch null at the end of the attempt: all its batches are before this entry
   */
  private record Entry(PartitionProgress progress, int attemptIndex, ShuffleBlock batch) {}

  /**
   * @param mismatches the read must fail after a call
   */
  ReadyBatches(int maxBatchBytes, Mismatches mismatches) {
    this.maxBatchBytes = maxBatchBytes;
    this.mismatches = mismatches;
  }

  /**
   * Adds a batch, unless it is empty.
   *
   * @param content lends its first {@code length} bytes until the batch has been used: only the
   *     first batch of the queue may be in a buffer that is reused
   */
  void add(PartitionProgress progress, int attemptIndex, int records, byte[] content, int length) {
    if (length > 0) {
      ShuffleBlock batch =
          new ShuffleBlock(
              progress.partition(),
              progress.expected().attempt(attemptIndex),
              progress.expected().mapIndex(attemptIndex),
              records,
              ByteBuffer.wrap(content, 0, length));
      ready.addLast(new Entry(progress, attemptIndex, batch));
    }
  }

  /** Ends an attempt whose batches were all added. Its receipt must be known. */
  void end(PartitionProgress progress, int attemptIndex) {
    ready.addLast(new Entry(progress, attemptIndex, null));
  }

  /** Rejects a batch that is too long. A replica would have the same length, so the read fails. */
  void checkLength(PartitionProgress progress, int attemptIndex, long length)
      throws SluiceException {
    if (length > maxBatchBytes) {
      throw new SluiceException(
          StatusCode.FRAME_TOO_LARGE,
          "batch of records too large: partition="
              + progress.partition()
              + " attempt="
              + progress.expected().attempt(attemptIndex)
              + " length="
              + length
              + " limit="
              + maxBatchBytes);
    }
  }

  /**
   * Removes and returns the next batch; null if there is none, or if an attempt does not match its
   * receipt.
   */
  ShuffleBlock poll() {
    if (!checkEnds()) {
      return null;
    }
    Entry next = ready.pollFirst();
    if (next == null) {
      return null;
    }
    ShuffleBlock batch = next.batch;
    int length = batch.content().remaining();
    next.progress
        .receipts()
        .add(
            next.attemptIndex,
            batch.records(),
            length,
            checksum.of(batch.content().array(), 0, length, batch.records()));
    return checkEnds() ? batch : null;
  }

  /** Checks the attempts that end before the next batch; false if one does not match. */
  private boolean checkEnds() {
    while (!ready.isEmpty() && ready.peekFirst().batch == null) {
      Entry end = ready.pollFirst();
      String difference = end.progress.receipts().end(end.attemptIndex);
      if (difference != null) {
        mismatches.add(end.progress, end.attemptIndex, difference);
        return false;
      }
      matched++;
    }
    return true;
  }

  /** Number of attempts, in one partition each, that matched their receipts. */
  long matched() {
    return matched;
  }

  void clear() {
    ready.clear();
  }
}
