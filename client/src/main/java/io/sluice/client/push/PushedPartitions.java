package io.sluice.client.push;

import io.sluice.common.block.Receipt;

/**
 * State of each partition in a push session: next block number, whether its end is marked, its
 * length, and the records, bytes and checksum of its receipt. Arrays are allocated in pages when
 * the first of their partitions gets a block. Owned by one thread.
 */
final class PushedPartitions {
  private static final int PAGE_SHIFT = 10;
  private static final int PAGE_SIZE = 1 << PAGE_SHIFT;
  private static final int PAGE_MASK = PAGE_SIZE - 1;

  /** Highest bit of the next block number: the end is marked. */
  private static final int ENDED = 1 << 31;

  private final int partitionCount;
  private final Page[] pages;

  private static final class Page {
    private final int[] next;
    private final long[] length;
    private final long[] records;
    private final long[] uncompressedBytes;
    private final long[] checksum;

    Page(int size) {
      next = new int[size];
      length = new long[size];
      records = new long[size];
      uncompressedBytes = new long[size];
      checksum = new long[size];
    }
  }

  PushedPartitions(int partitionCount) {
    this.partitionCount = partitionCount;
    this.pages = new Page[(partitionCount + PAGE_MASK) >>> PAGE_SHIFT];
  }

  /** Number of the next block, which is the number of blocks so far. */
  int nextSequence(int partition) {
    Page page = pages[partition >>> PAGE_SHIFT];
    return page == null ? 0 : page.next[partition & PAGE_MASK] & ~ENDED;
  }

  boolean isEnded(int partition) {
    Page page = pages[partition >>> PAGE_SHIFT];
    return page != null && page.next[partition & PAGE_MASK] < 0;
  }

  /**
   * Adds a block to its partition and returns its number.
   *
   * @param length bytes to add to the length of the partition
   */
  int addBlock(int partition, int length, int records, int uncompressedBytes) {
    Page page = page(partition);
    int at = partition & PAGE_MASK;
    if (page.next[at] == Integer.MAX_VALUE) {
      throw new IllegalStateException("maximum number of blocks reached, partition=" + partition);
    }
    page.length[at] += length;
    page.records[at] += records;
    page.uncompressedBytes[at] += uncompressedBytes;
    return page.next[at]++;
  }

  /** Adds the checksum of a batch to its partition. */
  void addChecksum(int partition, long checksum) {
    page(partition).checksum[partition & PAGE_MASK] += checksum;
  }

  private Page page(int partition) {
    Page page = pages[partition >>> PAGE_SHIFT];
    if (page == null) {
      page = new Page(Math.min(PAGE_SIZE, partitionCount));
      pages[partition >>> PAGE_SHIFT] = page;
    }
    return page;
  }

  /** Receipt of all blocks of a partition. */
  Receipt receipt(int partition) {
    Page page = pages[partition >>> PAGE_SHIFT];
    int at = partition & PAGE_MASK;
    return new Receipt(page.records[at], page.uncompressedBytes[at], page.checksum[at]);
  }

  void markEnded(int partition) {
    pages[partition >>> PAGE_SHIFT].next[partition & PAGE_MASK] |= ENDED;
  }

  /** The first partition from {@code from} on that has blocks and no end mark, or -1. */
  int nextOpen(int from) {
    for (int partition = from; partition < partitionCount; partition++) {
      Page page = pages[partition >>> PAGE_SHIFT];
      if (page == null) {
        partition |= PAGE_MASK;
      } else if (page.next[partition & PAGE_MASK] > 0) {
        return partition;
      }
    }
    return -1;
  }

  long[] lengths() {
    long[] lengths = new long[partitionCount];
    for (int i = 0; i < pages.length; i++) {
      if (pages[i] != null) {
        int first = i << PAGE_SHIFT;
        System.arraycopy(
            pages[i].length, 0, lengths, first, Math.min(PAGE_SIZE, partitionCount - first));
      }
    }
    return lengths;
  }
}
