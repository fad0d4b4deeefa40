package io.sluice.client.push;

import io.sluice.common.block.Receipt;

/**
 * What a session remembers of each partition: the next sequence number, whether the end was marked,
 * its length, and the records and bytes of its receipt. Pages are made when a partition of theirs
 * is first touched. Belongs to one thread.
 */
final class PushedPartitions {
  private static final int PAGE_SHIFT = 10;
  private static final int PAGE_SIZE = 1 << PAGE_SHIFT;
  private static final int PAGE_MASK = PAGE_SIZE - 1;

  /** Highest bit of the number: the end was marked. */
  private static final int ENDED = 1 << 31;

  private final int partitionCount;
  private final Page[] pages;

  private static final class Page {
    private final int[] next = new int[PAGE_SIZE];
    private final long[] length = new long[PAGE_SIZE];
    private final long[] records = new long[PAGE_SIZE];
    private final long[] contentBytes = new long[PAGE_SIZE];
  }

  PushedPartitions(int partitionCount) {
    this.partitionCount = partitionCount;
    this.pages = new Page[(partitionCount + PAGE_MASK) >>> PAGE_SHIFT];
  }

  /** Blocks numbered so far. */
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
   * @param length that counts for the length of the partition
   */
  int addBlock(int partition, int length, int records, int contentBytes) {
    Page page = pages[partition >>> PAGE_SHIFT];
    if (page == null) {
      page = new Page();
      pages[partition >>> PAGE_SHIFT] = page;
    }
    int at = partition & PAGE_MASK;
    if (page.next[at] == Integer.MAX_VALUE) {
      throw new IllegalStateException("partition " + partition + " has no block numbers left");
    }
    page.length[at] += length;
    page.records[at] += records;
    page.contentBytes[at] += contentBytes;
    return page.next[at]++;
  }

  /** Of all blocks that were added to a partition. */
  Receipt receipt(int partition) {
    Page page = pages[partition >>> PAGE_SHIFT];
    int at = partition & PAGE_MASK;
    return new Receipt(page.records[at], page.contentBytes[at], 0);
  }

  void markEnded(int partition) {
    pages[partition >>> PAGE_SHIFT].next[partition & PAGE_MASK] |= ENDED;
  }

  /** The first partition from {@code from} on that has blocks and no end, or -1. */
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
