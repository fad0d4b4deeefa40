package io.sluice.server.log;

import java.util.Arrays;

/**
 * Which map indexes lie where in a partition: cuts at block boundaries, each with the lowest and
 * highest map index up to the next. Guarded by the lock of its {@link ShuffleLog}.
 *
 * <p>A reader of some maps fetches the stretches whose range meets its own, so what counts is that
 * a stretch has few maps: map tasks run side by side, and what they push lies mixed. A stretch ends
 * after {@code markBytes}, and where another map begins, unless it is shorter than {@link
 * #SHORTEST_SHARE} of that, which bounds the heap for marks. So maps that push so much at a time to
 * a partition are read exactly, and of smaller ones a few share a stretch.
 */
final class SliceMarks {
  /** Of {@code markBytes}: a stretch that is shorter goes on when the map changes. */
  private static final int SHORTEST_SHARE = 256;

  /** Two numbers of 5 bytes, of 32 bits each, and a length of 64 bits. */
  private static final int LONGEST_MARK = 20;

  /** What an array takes beside its elements. */
  private static final int ARRAY_BYTES = 16;

  // Closed marks, as SliceMarkSnapshot reads them; bytes that are written never change. Null until
  // the first, most partitions have none.
  private byte[] closed;
  private int closedBytes;
  private int lastMin;
  private long openStart;
  private long openEnd;
  private int openMin = Integer.MAX_VALUE;
  private int openMax = -1;

  /** Adds a block; gives the bytes of heap by which the marks have grown. */
  int add(int mapIndex, int blockLength, int markBytes) {
    int grown = 0;
    boolean another = mapIndex < openMin || mapIndex > openMax;
    if (another && openEnd - openStart >= Math.max(1, markBytes / SHORTEST_SHARE)) {
      grown += close();
    }
    openMin = Math.min(openMin, mapIndex);
    openMax = Math.max(openMax, mapIndex);
    openEnd += blockLength;
    if (openEnd - openStart >= markBytes) {
      grown += close();
    }
    return grown;
  }

  /** All marks, that of the still open end too; further blocks do not change it. */
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
      closed = new byte[2 * LONGEST_MARK];
      return ARRAY_BYTES + closed.length;
    }
    if (closedBytes + LONGEST_MARK <= closed.length) {
      return 0;
    }
    int more = Math.max(LONGEST_MARK, closed.length / 4);
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
