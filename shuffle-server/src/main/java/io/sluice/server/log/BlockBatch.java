package io.sluice.server.log;

import io.sluice.common.block.BlockHeader;
import java.util.Arrays;

/**
 * Headers of the blocks of one frame, in order, as plain arrays. They are not referenced after the
 * append. Not thread-safe; used by one push.
 */
public final class BlockBatch {
  private long[] attempts;
  private int[] mapIndexes;
  private int[] partitions;
  private int[] sequences;
  // Offset of each block in the body, and the end of the last block.
  private int[] offsets;
  private boolean[] last;
  private int count;
  private int maxPartition;

  public BlockBatch(int expectedBlocks) {
    int size = Math.max(1, expectedBlocks);
    attempts = new long[size];
    mapIndexes = new int[size];
    partitions = new int[size];
    sequences = new int[size];
    offsets = new int[size + 1];
    last = new boolean[size];
  }

  /** Adds the next block of the body. */
  public void add(BlockHeader header) {
    if (count == attempts.length) {
      int size = count * 2;
      attempts = Arrays.copyOf(attempts, size);
      mapIndexes = Arrays.copyOf(mapIndexes, size);
      partitions = Arrays.copyOf(partitions, size);
      sequences = Arrays.copyOf(sequences, size);
      offsets = Arrays.copyOf(offsets, size + 1);
      last = Arrays.copyOf(last, size);
    }
    attempts[count] = header.mapAttempt();
    mapIndexes[count] = header.mapIndex();
    partitions[count] = header.partition();
    sequences[count] = header.sequence();
    last[count] = header.isLast();
    offsets[count + 1] = offsets[count] + header.blockLength();
    maxPartition = Math.max(maxPartition, header.partition());
    count++;
  }

  public int count() {
    return count;
  }

  /** Bytes of all blocks. */
  public int length() {
    return offsets[count];
  }

  /** Highest partition of any block; 0 if there are no blocks. */
  public int maxPartition() {
    return maxPartition;
  }

  long attempt(int block) {
    return attempts[block];
  }

  int mapIndex(int block) {
    return mapIndexes[block];
  }

  int partition(int block) {
    return partitions[block];
  }

  int sequence(int block) {
    return sequences[block];
  }

  boolean isLast(int block) {
    return last[block];
  }

  int offset(int block) {
    return offsets[block];
  }

  int blockLength(int block) {
    return offsets[block + 1] - offsets[block];
  }
}
