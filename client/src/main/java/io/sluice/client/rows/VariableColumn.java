package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Values of a variable-length column of a block, one for each row. Owned by one thread. */
final class VariableColumn {
  private static final int KNOWN_TAG_BITS = RowPlanes.FORM_MASK | RowPlanes.FLAG_RUNS;

  private final int[] positions;
  private final int[] sizes;
  private ByteBuffer source;

  private VariableColumn(int rows) {
    positions = new int[rows];
    sizes = new int[rows];
  }

  /**
   * Reads the values that {@link ValueEncoder} wrote.
   *
   * @param maxBytes maximum bytes of all distinct values
   * @param scratch of at least {@link WordDecoder#capacity} words for the rows
   */
  static VariableColumn read(
      PlaneInput in, WordDecoder words, int rows, int maxBytes, long[] scratch)
      throws SluiceException {
    VariableColumn column = new VariableColumn(rows);
    int tag = in.readByte();
    int form = tag & RowPlanes.FORM_MASK;
    if ((tag & ~KNOWN_TAG_BITS) != 0) {
      throw PlaneInput.damaged("unknown form of values " + tag);
    }
    if ((tag & RowPlanes.FLAG_RUNS) == 0) {
      column.readKept(in, words, form, rows, maxBytes, scratch);
      return column;
    }
    RunBitmap runs = new RunBitmap();
    int kept = runs.read(in, rows);
    column.readKept(in, words, form, kept, maxBytes, scratch);
    runs.expand(column.positions, kept);
    runs.expand(column.sizes, kept);
    return column;
  }

  private void readKept(
      PlaneInput in, WordDecoder words, int form, int count, int maxBytes, long[] scratch)
      throws SluiceException {
    if (form != RowPlanes.FORM_DISTINCT) {
      readPlain(in, words, form, count, maxBytes, scratch);
      return;
    }
    int entries = in.readByte() + 1;
    VariableColumn distinct = new VariableColumn(entries);
    distinct.readPlain(
        in, words, in.readByte(), entries, maxBytes, new long[WordDecoder.capacity(entries)]);
    source = distinct.source;
    words.readCodes(in, scratch, count, entries);
    for (int i = 0; i < count; i++) {
      positions[i] = distinct.positions[(int) scratch[i]];
      sizes[i] = distinct.sizes[(int) scratch[i]];
    }
  }

  private void readPlain(
      PlaneInput in, WordDecoder words, int form, int count, int maxBytes, long[] scratch)
      throws SluiceException {
    words.read(in, scratch, count);
    long total = 0;
    for (int i = 0; i < count; i++) {
      long size = scratch[i] - 1;
      if (size < -1 || size > maxBytes) {
        throw PlaneInput.damaged("a value of " + size + " bytes");
      }
      sizes[i] = (int) size;
      positions[i] = (int) total;
      total += Math.max(0, size);
      if (total > maxBytes) {
        throw PlaneInput.damaged("values of more than " + maxBytes + " bytes");
      }
    }
    if (form == RowPlanes.FORM_BYTES) {
      source = in.words();
      int from = in.take((int) total);
      for (int i = 0; i < count; i++) {
        positions[i] += from;
      }
    } else if (form == RowPlanes.FORM_NUMBERS) {
      readNumbers(in, words, count, (int) total, scratch);
    } else {
      throw PlaneInput.damaged("unknown form of values " + form);
    }
  }

  private void readNumbers(PlaneInput in, WordDecoder words, int count, int total, long[] scratch)
      throws SluiceException {
    int width = in.readByte();
    if (width < 1 || width * Long.BYTES > RowPlanes.MAX_NUMBER_BYTES) {
      throw PlaneInput.damaged("numbers of " + width + " words");
    }
    for (int i = 0; i < count; i++) {
      if (sizes[i] > width * Long.BYTES) {
        throw PlaneInput.damaged("a number of " + sizes[i] + " bytes in " + width + " words");
      }
    }
    // With room to copy the last value as a whole word.
    byte[] numbers = new byte[total + Long.BYTES];
    source = ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
    for (int index = width - 1; index >= 0; index--) {
      words.read(in, scratch, count);
      for (int i = 0; i < count; i++) {
        long number = scratch[i];
        int from = positions[i];
        int at = from + sizes[i] - index * Long.BYTES - 1;
        int first = Math.max(from, at - Long.BYTES + 1);
        for (; at >= first; at--) {
          numbers[at] = (byte) number;
          number >>>= Byte.SIZE;
        }
      }
    }
  }

  /** Bytes of the value of a row; -1 for none. */
  int size(int row) {
    return sizes[row];
  }

  /** Writes the value of a row, and zeros up to a whole word. */
  void copy(int row, ByteBuffer target, int at) {
    int size = sizes[row];
    int from = positions[row];
    ByteBuffer values = source;
    if (values.limit() - from < RowPlanes.padded(size)) {
      copyLast(size, from, target, at);
      return;
    }
    int last = (size - 1) & -Long.BYTES;
    for (int i = 0; i < last; i += Long.BYTES) {
      target.putLong(at + i, values.getLong(from + i));
    }
    long mask = -1L >>> -(size * Byte.SIZE);
    target.putLong(at + last, values.getLong(from + last) & mask);
  }

  /** Copies a value at the end of its source, which has no whole word there. */
  private void copyLast(int size, int from, ByteBuffer target, int at) {
    target.putLong(at + RowPlanes.padded(size) - Long.BYTES, 0);
    for (int i = 0; i < size; i++) {
      target.put(at + i, source.get(from + i));
    }
  }
}
