package io.sluice.server.log;

import java.util.ArrayList;
import java.util.List;

/**
 * The slice marks of a partition at one moment. Immutable: it shares the bytes of {@link
 * SliceMarks}, which only ever adds behind them, so it is read without the log's lock.
 *
 * <p>Three varints for each mark: bytes of the stretch; lowest map index, as the zigzag difference
 * to that of the mark before; highest less lowest.
 */
public final class SliceMarkSnapshot {
  /** No stretch at all. */
  public static final SliceMarkSnapshot EMPTY = new SliceMarkSnapshot(null, 0, 0, 0, 0);

  /**
   * Most stretches that an Open is answered with for one partition: as many as one Fetch may ask
   * for. A piece of 64 MiB in stretches of 8 KiB has half of that.
   */
  static final int MOST = 16384;

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

  /** Every stretch, by ascending offset and without gaps; joined where there are very many. */
  public List<OpenSnapshot.Mark> all() {
    return atMost(MOST, collect(0, Integer.MAX_VALUE, false));
  }

  /**
   * The stretches that may hold blocks of map tasks {@code first..end-1}, by ascending offset.
   * Neighbours are joined, and where there are very many, those with little between them too.
   */
  public List<OpenSnapshot.Mark> of(int first, int end) {
    return atMost(MOST, collect(first, end, true));
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

  /** Joins what together is short, longer and longer, until it is few enough. */
  static List<OpenSnapshot.Mark> atMost(int most, List<OpenSnapshot.Mark> marks) {
    List<OpenSnapshot.Mark> few = marks;
    for (long length = 1 << 14; few.size() > most; length *= 2) {
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

  /** One mark after the other. */
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
