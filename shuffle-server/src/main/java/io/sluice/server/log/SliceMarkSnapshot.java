package io.sluice.server.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Snapshot of the slice marks of a partition. Immutable: it shares the bytes of {@link SliceMarks},
 * which are only ever appended to, so it is read without the log's lock.
 *
 * <p>Each mark is encoded as three varints: length in bytes; lowest map index, as zigzag difference
 * to that of the previous mark; highest map index minus lowest.
 */
public final class SliceMarkSnapshot {
  /** Snapshot without marks. */
  public static final SliceMarkSnapshot EMPTY = new SliceMarkSnapshot(null, 0, 0, 0, 0);

  /**
   * Maximum number of marks per partition in the reply to an Open; equals the maximum number of
   * ranges of one Fetch. 64 MiB in marks of 8 KiB need half of it.
   */
  public static final int MAX_MARKS = 16384;

  /** Length limit at which joining of marks starts. */
  private static final long MIN_JOINED_BYTES = 512;

  private final byte[] closed;
  private final int closedBytes;
  private final long openLength;
  private final int openMin;
  private final int openMax;

  SliceMarkSnapshot(byte[] closed, int closedBytes, long openLength, int openMin, int openMax) {
    this.closed = closed;
    this.closedBytes = closedBytes;
    this.openLength = openLength;
    this.openMin = openMin;
    this.openMax = openMax;
  }

  /**
   * All marks, by ascending offset and without gaps; short marks are joined if there are more than
   * the maximum.
   */
  public List<OpenSnapshot.Mark> all(int max) {
    return atMost(max, collect(0, Integer.MAX_VALUE, false));
  }

  /**
   * Marks that may contain blocks of map tasks {@code first..end-1}, by ascending offset. Adjacent
   * marks are joined; if there are more than the maximum, marks with short gaps between them are
   * joined too.
   */
  public List<OpenSnapshot.Mark> of(int first, int end, int max) {
    return atMost(max, collect(first, end, true));
  }

  private List<OpenSnapshot.Mark> collect(int first, int end, boolean join) {
    List<OpenSnapshot.Mark> found = new ArrayList<>();
    Cursor cursor = new Cursor();
    while (cursor.next()) {
      if (cursor.max < first || cursor.min >= end) {
        continue;
      }
      OpenSnapshot.Mark mark =
          new OpenSnapshot.Mark(cursor.start, cursor.length, cursor.min, cursor.max);
      OpenSnapshot.Mark before = join && !found.isEmpty() ? found.get(found.size() - 1) : null;
      if (before != null && before.end() == mark.offset()) {
        found.set(found.size() - 1, before.joined(mark));
      } else {
        found.add(mark);
      }
    }
    return found;
  }

  /**
   * Joins marks that are short together, with a doubling length limit, until at most {@code max}
   * remain.
   */
  static List<OpenSnapshot.Mark> atMost(int max, List<OpenSnapshot.Mark> marks) {
    List<OpenSnapshot.Mark> few = marks;
    for (long length = MIN_JOINED_BYTES; few.size() > max; length *= 2) {
      List<OpenSnapshot.Mark> fewer = new ArrayList<>();
      OpenSnapshot.Mark last = null;
      for (OpenSnapshot.Mark mark : few) {
        if (last != null && mark.end() - last.offset() <= length) {
          last = last.joined(mark);
          fewer.set(fewer.size() - 1, last);
        } else {
          last = mark;
          fewer.add(mark);
        }
      }
      few = fewer;
    }
    return few;
  }

  /** Decodes the marks in order. */
  private final class Cursor {
    private int at;
    private boolean openGiven;
    private long start;
    private long length;
    private int min;
    private int max;

    boolean next() {
      start += length;
      if (at < closedBytes) {
        length = varint();
        int step = (int) varint();
        min += (step >>> 1) ^ -(step & 1);
        max = min + (int) varint();
        return true;
      }
      boolean open = openLength > 0 && !openGiven;
      openGiven = true;
      length = openLength;
      min = openMin;
      max = openMax;
      return open;
    }

    private long varint() {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte next = closed[at++];
        value |= (long) (next & 0x7F) << shift;
        if (next >= 0) {
          return value;
        }
      }
    }
  }
}
