package io.sluice.client.rows;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Finds variable-length columns without a schema. The slot of such a value has its offset in the
 * row and its size; a word of zero is no value. A column is one of variable length if in every row
 * its value begins where the value of the previous such column ends. Owned by one thread.
 */
final class RowTails {
  private static final byte WORDS = RowPlanes.KIND_WORDS;

  private final int columns;
  private final int fixedBytes;
  private final byte[] kinds;
  private ByteBuffer source;
  private int[] starts;
  private int rows;

  /** End of the last variable-length value in each row if its space is its size, rounded up. */
  private int[] ends = new int[0];

  /** The same if the space of the last column is reserved. */
  private int[] reservedEnds = new int[0];

  private int[] cursors = new int[0];
  private int[] positions = new int[0];
  private int[] sizes = new int[0];
  private int last;
  private boolean mayBePadded;
  private boolean mayBeReserved;
  private boolean hasRest;

  RowTails(int columns, int fixedBytes) {
    this.columns = columns;
    this.fixedBytes = fixedBytes;
    this.kinds = new byte[columns];
  }

  /**
   * Looks at rows.
   *
   * @param source borrows, until the next call
   * @param starts borrows: where each row begins, and where a row after the last one would
   */
  void find(ByteBuffer source, int[] starts, int rows) {
    this.source = source;
    this.starts = starts;
    this.rows = rows;
    if (ends.length < rows) {
      int length = Math.max(rows, ends.length * 2);
      ends = new int[length];
      reservedEnds = new int[length];
      cursors = new int[length];
      positions = new int[length];
      sizes = new int[length];
    }
    search();
    if (!hasZeroPadding()) {
      Arrays.fill(kinds, WORDS);
      startSearch();
    }
    hasRest = false;
    for (int i = 0; i < rows && !hasRest; i++) {
      hasRest = starts[i] + ends[i] != endOf(i);
    }
    startLoading();
  }

  private void startSearch() {
    Arrays.fill(ends, 0, rows, fixedBytes);
    last = -1;
    mayBePadded = true;
    mayBeReserved = false;
  }

  private void search() {
    Arrays.fill(kinds, WORDS);
    startSearch();
    boolean anyTail = false;
    for (int i = 0; i < rows && !anyTail; i++) {
      anyTail = endOf(i) - starts[i] > fixedBytes;
    }
    if (!anyTail) {
      return;
    }
    for (int column = 0; column < columns; column++) {
      boolean padded = mayBePadded && follows(column, ends);
      boolean reserved = !padded && mayBeReserved && follows(column, reservedEnds);
      if (padded || reserved) {
        settle(reserved);
        extend(column);
      }
    }
    settle(mayBeReserved && !endsRows(ends) && endsRows(reservedEnds));
  }

  /** Decides how much space the values of the last column have. */
  private void settle(boolean reserved) {
    if (last >= 0) {
      kinds[last] = (byte) (reserved ? RowPlanes.KIND_RESERVED : RowPlanes.KIND_VARIABLE);
      if (reserved) {
        int[] swap = ends;
        ends = reservedEnds;
        reservedEnds = swap;
      }
    }
    last = -1;
    mayBePadded = true;
    mayBeReserved = false;
  }

  private boolean endsRows(int[] found) {
    for (int i = 0; i < rows; i++) {
      if (starts[i] + found[i] != endOf(i)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the values of a column begin at these ends, in rows that have a value. */
  private boolean follows(int column, int[] from) {
    int at = column * RowPlanes.WORD_BYTES;
    boolean any = false;
    for (int i = 0; i < rows; i++) {
      long word = source.getLong(starts[i] + at);
      if (word != 0) {
        int size = (int) word;
        if ((int) (word >>> Integer.SIZE) != from[i]
            || size < 0
            || size > endOf(i) - starts[i] - from[i]) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  /** Adds a column, of whose values the beginning is known and the space is not. */
  private void extend(int column) {
    int at = column * RowPlanes.WORD_BYTES;
    mayBePadded = true;
    mayBeReserved = true;
    for (int i = 0; i < rows; i++) {
      long word = source.getLong(starts[i] + at);
      int start = ends[i];
      reservedEnds[i] = start;
      if (word != 0) {
        int size = (int) word;
        int room = endOf(i) - starts[i] - start;
        int padded = RowPlanes.padded(size);
        mayBePadded &= padded <= room;
        mayBeReserved &= size <= RowPlanes.RESERVED_BYTES && room >= RowPlanes.RESERVED_BYTES;
        ends[i] = start + padded;
        reservedEnds[i] = start + RowPlanes.RESERVED_BYTES;
      }
    }
    if (!mayBePadded && !mayBeReserved) {
      // The values overlap the end of the row.
      for (int i = 0; i < rows; i++) {
        ends[i] = Math.min(ends[i], endOf(i) - starts[i]);
      }
    }
    last = column;
    kinds[column] = RowPlanes.KIND_VARIABLE;
  }

  private boolean hasZeroPadding() {
    startLoading();
    for (int column = 0; column < columns; column++) {
      if (kinds[column] != WORDS) {
        load(column);
        for (int i = 0; i < rows; i++) {
          int end = starts[i] + cursors[i];
          if (end > endOf(i) || (sizes[i] >= 0 && !isZero(positions[i] + sizes[i], end))) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private boolean isZero(int from, int to) {
    if (to - from < RowPlanes.WORD_BYTES) {
      // Values begin at whole words, so there is at least one word before the end.
      int unused = (to - from) * Byte.SIZE;
      return unused <= 0 || source.getLong(to - RowPlanes.WORD_BYTES) >>> (Long.SIZE - unused) == 0;
    }
    return source.getLong(to - RowPlanes.WORD_BYTES) == 0
        && isZero(from, to - RowPlanes.WORD_BYTES);
  }

  private void startLoading() {
    Arrays.fill(cursors, 0, rows, fixedBytes);
  }

  /** Kind of a column. */
  int kind(int column) {
    return kinds[column];
  }

  /** Makes {@link #positions} and {@link #sizes} those of a column; columns must ascend. */
  void load(int column) {
    int at = column * RowPlanes.WORD_BYTES;
    boolean reserved = kinds[column] == RowPlanes.KIND_RESERVED;
    for (int i = 0; i < rows; i++) {
      long word = source.getLong(starts[i] + at);
      if (word == 0) {
        sizes[i] = -1;
        positions[i] = starts[i];
      } else {
        int size = (int) word;
        sizes[i] = size;
        positions[i] = starts[i] + cursors[i];
        cursors[i] += reserved ? RowPlanes.RESERVED_BYTES : RowPlanes.padded(size);
      }
    }
  }

  /** Where the value of each row begins. */
  int[] positions() {
    return positions;
  }

  /** Bytes of the value of each row; -1 for none. */
  int[] sizes() {
    return sizes;
  }

  /** Whether rows have bytes after their last variable-length value. */
  boolean hasRest() {
    return hasRest;
  }

  int restBytes(int row) {
    return endOf(row) - starts[row] - ends[row];
  }

  /** Where the next row's length begins. */
  int endOf(int row) {
    return starts[row + 1] - RowPlanes.LENGTH_BYTES;
  }
}
