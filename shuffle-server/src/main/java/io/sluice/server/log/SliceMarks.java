package io.sluice.server.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which map indexes lie where in a partition: cuts at block boundaries, one about every {@code
 * markBytes}, each with the lowest and highest map index up to the next. Guarded by the lock of its
 * {@link ShuffleLog}.
 */
final class SliceMarks {
  // Closed marks, 3 values each: end offset, lowest, highest map index. Null until the first.
  private long[] closed;
  private int closedCount;
  private long openStart;
  private long openEnd;
  private int openMin = Integer.MAX_VALUE;
  private int openMax = -1;

  void add(int mapIndex, int blockLength, int markBytes) {
    openMin = Math.min(openMin, mapIndex);
    openMax = Math.max(openMax, mapIndex);
    openEnd += blockLength;
    if (openEnd - openStart >= markBytes) {
      close();
    }
  }

  /** Adds a stretch that was marked before, in a run file. */
  void addClosed(int minMapIndex, int maxMapIndex, long length) {
    openMin = Math.min(openMin, minMapIndex);
    openMax = Math.max(openMax, maxMapIndex);
    openEnd += length;
    close();
  }

  /** All marks, that of the still open end too. */
  List<OpenSnapshot.Mark> snapshot() {
    List<OpenSnapshot.Mark> marks = new ArrayList<>(closedCount + 1);
    long start = 0;
    for (int i = 0; i < closedCount; i++) {
      long end = closed[i * 3];
      marks.add(
          new OpenSnapshot.Mark(
              start, end - start, (int) closed[i * 3 + 1], (int) closed[i * 3 + 2]));
      start = end;
    }
    if (openEnd > openStart) {
      marks.add(new OpenSnapshot.Mark(openStart, openEnd - openStart, openMin, openMax));
    }
    return marks;
  }

  private void close() {
    if (closed == null) {
      closed = new long[3 * 4];
    } else if (closedCount * 3 == closed.length) {
      closed = Arrays.copyOf(closed, closed.length * 2);
    }
    closed[closedCount * 3] = openEnd;
    closed[closedCount * 3 + 1] = openMin;
    closed[closedCount * 3 + 2] = openMax;
    closedCount++;
    openStart = openEnd;
    openMin = Integer.MAX_VALUE;
    openMax = -1;
  }
}
