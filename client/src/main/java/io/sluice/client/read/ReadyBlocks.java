package io.sluice.client.read;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Contents whose turn it is. Belongs to one thread. */
final class ReadyBlocks {
  private final int maxContentBytes;
  private final Deque<ShuffleBlock> ready = new ArrayDeque<>();

  ReadyBlocks(int maxContentBytes) {
    this.maxContentBytes = maxContentBytes;
  }

  /**
   * Adds a content, unless it is empty.
   *
   * @param content lends its first {@code length} bytes until the content has been used: only the
   *     first to be taken may lie in memory that is written again
   */
  void add(PartitionProgress progress, int place, int records, byte[] content, int length) {
    if (length > 0) {
      ready.addLast(
          new ShuffleBlock(
              progress.partition(),
              progress.expected().attempt(place),
              progress.expected().mapIndex(place),
              records,
              ByteBuffer.wrap(content, 0, length)));
    }
  }

  /** Refuses a content that is too long: no copy of it would be shorter. */
  void checkLength(PartitionProgress progress, int place, long length) throws SluiceException {
    if (length > maxContentBytes) {
      throw new SluiceException(
          StatusCode.FRAME_TOO_LARGE,
          "content of attempt "
              + progress.expected().attempt(place)
              + " in partition "
              + progress.partition()
              + " exceeds the limit of "
              + maxContentBytes
              + " bytes");
    }
  }

  /** The next one, or null. */
  ShuffleBlock poll() {
    return ready.pollFirst();
  }

  void clear() {
    ready.clear();
  }
}
