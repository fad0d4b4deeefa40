package io.sluice.server.background;

import io.sluice.server.disk.StorageKind;
import java.util.Map;

/**
 * How to merge.
 *
 * @param policies by the kind of disk; none where nothing is merged
 * @param memoryBytes for all merges together
 * @param maxOutputBytes most bytes of blocks in a merged run
 */
public record MergeSettings(
    Map<StorageKind, MergePolicy> policies, long memoryBytes, long maxOutputBytes) {
  /**
   * Heap for an extent, measured: 138 bytes of its run's index, 20 of the log's plan, and at most
   * half of the first for its share of an extent of the output.
   */
  private static final int EXTENT_BYTES = 138 + 20 + 138 / 2;

  /** Smaller reads would be seeks again. */
  private static final int LEAST_WINDOW_BYTES = 256 << 10;

  public MergeSettings {
    policies = Map.copyOf(policies);
  }

  /**
   * Bytes of read buffers of one merge.
   *
   * @param merges how many run at a time
   */
  int bufferBytes(int merges) {
    return (int) Math.min(Integer.MAX_VALUE, memoryBytes / merges / 4 * 3);
  }

  /** What one merge may take if so many run at a time. */
  MergeBounds bounds(int merges) {
    return new MergeBounds(
        Math.max(2, bufferBytes(merges) / LEAST_WINDOW_BYTES),
        maxOutputBytes,
        Math.max(2, memoryBytes / merges / 4 / EXTENT_BYTES));
  }
}
