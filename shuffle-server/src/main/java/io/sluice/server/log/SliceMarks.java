package io.sluice.server.log;

import java.util.Arrays;

/**
 * Index of a partition by map task: byte ranges between block boundaries, each with its lowest and
 * highest map index. Guarded by the lock of its {@link ShuffleLog}.
 *
 * <p>A reader of a range of map tasks fetches the marks that overlap its range. Map tasks push
 * concurrently, so their blocks are interleaved, and a mark should contain few map tasks. A mark
 * ends after {@code maxBytes}, or when the map task changes and the mark has at least {@code
 * minBytes}. So map tasks that push at least {@code minBytes} at a time are read exactly; smaller
 * pushes of several map tasks share a mark. The minimum limits the heap for marks; with a minimum
 * of one byte all map tasks are read exactly.
 */
final class SliceMarks {
  /** Two varints of 32 bits, 5 bytes each, and one of 64 bits, 10 bytes. */
  private static final int MAX_MARK_BYTES = 20;

  /** Header of an array. */
  private static final int ARRAY_BYTES = 16;

  // Closed marks in the encoding of SliceMarkSnapshot; written bytes never change. Null until the
  // first mark is closed: most partitions have none.
  private byte[] closed;
  private int closedBytes;
  private int lastMin;
  private long openStart;
  private long openEnd;
  private int openMin = Integer.MAX_VALUE;
  private int openMax = -1;

  /**
   * Adds a block; returns the growth of heap for marks, in bytes.
   *
   * @param minBytes minimum length of a mark that ends because the map task changes
   * @param maxBytes maximum length of a mark, unless its last block is longer
   */
  int add(int mapIndex, int blockLength, int minBytes, int maxBytes) {
    int grown = 0;
    boolean another = mapIndex < openMin || mapIndex > openMax;
    if (another && openEnd - openStart >= minBytes) {
      grown += close();
    }
    openMin = Math.min(openMin, mapIndex);
    openMax = Math.max(openMax, mapIndex);
    openEnd += blockLength;
    if (openEnd - openStart >= maxBytes) {
      grown += close();
    }
    return grown;
  }

  /** Snapshot of all marks, including the open one. Blocks added later do not change it. */
  SliceMarkSnapshot snapshot() {
    return new SliceMarkSnapshot(closed, closedBytes, openEnd - openStart, openMin, openMax);
  }

  private int close() {
    int grown = reserve();
    closedBytes = putVarint(closed, closedBytes, openEnd - openStart);
    int step = openMin - lastMin;
    closedBytes =
        putVarint(closed, closedBytes, Integer.toUnsignedLong((step << 1) ^ (step >> 31)));
    closedBytes = putVarint(closed, closedBytes, openMax - openMin);
    lastMin = openMin;
    openStart = openEnd;
    openMin = Integer.MAX_VALUE;
    openMax = -1;
    return grown;
  }

  private int reserve() {
    if (closed == null) {
      closed = new byte[2 * MAX_MARK_BYTES];
      return ARRAY_BYTES + closed.length;
    }
    if (closedBytes + MAX_MARK_BYTES <= closed.length) {
      return 0;
    }
    int more = Math.max(MAX_MARK_BYTES, closed.length / 4);
    closed = Arrays.copyOf(closed, closed.length + more);
    return more;
  }

  private static int putVarint(byte[] to, int at, long value) {
    int next = at;
    long left = value;
    while ((left & ~0x7FL) != 0) {
      to[next++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    to[next++] = (byte) left;
    return next;
  }
}
