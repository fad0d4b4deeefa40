package io.sluice.server.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which map indexes lie where in a partition: cuts at block boundaries, each with the lowest and
 * highest map index up to the next. Guarded by the lock of its {@link ShuffleLog}.
 *
 * <p>A reader of some maps fetches the stretches whose range meets its own, so what counts is that
 * a stretch has few maps: map tasks run side by side, and what they push lies mixed. A stretch ends
 * after {@code markBytes}, and where another map begins, unless it is shorter than {@link
 * #SHORTEST_SHARE} of that, which bounds the heap for marks. So maps that push a sixteenth of
 * {@code markBytes} at a time to a partition are read exactly, and of smaller ones a few share a
 * stretch.
 */
final class SliceMarks {
  /** Of {@code markBytes}: a stretch that is shorter goes on when the map changes. */
  private static final int SHORTEST_SHARE = 16;

  private static final int VALUES = 2;

  // Closed marks, 2 values each: end offset; lowest map index << 32 | highest. Null until the
  // first.
  private long[] closed;
  private int closedCount;
  private long openStart;
  private long openEnd;
  private int openMin = Integer.MAX_VALUE;
  private int openMax = -1;

  /** Adds a block; gives the number of stretches that ended. */
  int add(int mapIndex, int blockLength, int markBytes) {
    int ended = 0;
    boolean another = mapIndex < openMin || mapIndex > openMax;
    if (another && openEnd - openStart >= Math.max(1, markBytes / SHORTEST_SHARE)) {
      close();
      ended++;
    }
    openMin = Math.min(openMin, mapIndex);
    openMax = Math.max(openMax, mapIndex);
    openEnd += blockLength;
    if (openEnd - openStart >= markBytes) {
      close();
      ended++;
    }
    return ended;
  }

  /** All marks, that of the still open end too. */
  List<OpenSnapshot.Mark> snapshot() {
    List<OpenSnapshot.Mark> marks = new ArrayList<>(closedCount + 1);
    long start = 0;
    for (int i = 0; i < closedCount; i++) {
      long end = closed[i * VALUES];
      long maps = closed[i * VALUES + 1];
      marks.add(new OpenSnapshot.Mark(start, end - start, (int) (maps >>> 32), (int) maps));
      start = end;
    }
    if (openEnd > openStart) {
      marks.add(new OpenSnapshot.Mark(openStart, openEnd - openStart, openMin, openMax));
    }
    return marks;
  }

  private void close() {
    if (closed == null) {
      closed = new long[VALUES * 2];
    } else if (closedCount * VALUES == closed.length) {
      closed = Arrays.copyOf(closed, (closedCount + closedCount / 2 + 1) * VALUES);
    }
    closed[closedCount * VALUES] = openEnd;
    closed[closedCount * VALUES + 1] = ((long) openMin << 32) | openMax;
    closedCount++;
    openStart = openEnd;
    openMin = Integer.MAX_VALUE;
    openMax = -1;
  }
}
