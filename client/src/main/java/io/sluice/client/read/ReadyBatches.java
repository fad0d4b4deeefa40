package io.sluice.client.read;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Batches that are ready for delivery, in this order. Owned by one thread. */
final class ReadyBatches {
  private final int maxBatchBytes;
  private final Deque<ShuffleBlock> ready = new ArrayDeque<>();

  ReadyBatches(int maxBatchBytes) {
    this.maxBatchBytes = maxBatchBytes;
  }

  /**
   * Adds a batch, unless it is empty.
   *
   * @param content lends its first {@code length} bytes until the batch has been used: only the
   *     first batch of the queue may be in a buffer that is reused
   */
  void add(PartitionProgress progress, int attemptIndex, int records, byte[] content, int length) {
    if (length > 0) {
      ready.addLast(
          new ShuffleBlock(
              progress.partition(),
              progress.expected().attempt(attemptIndex),
              progress.expected().mapIndex(attemptIndex),
              records,
              ByteBuffer.wrap(content, 0, length)));
    }
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

  /** Removes and returns the next batch; null if there is none. */
  ShuffleBlock poll() {
    return ready.pollFirst();
  }

  void clear() {
    ready.clear();
  }
}
