package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Decodes blocks of rows that {@link RowPlanesEncoder} encoded. Trusts no number: it never writes
 * outside its target, and the memory for a block is a small multiple of the block's length. Owned
 * by one thread.
 */
public final class RowPlanesDecoder {
  private final WordDecoder words = new WordDecoder();
  private long[] column = new long[0];
  private int[] starts = new int[0];
  private int[] cursors = new int[0];

  /** Creates a decoder without memory. */
  public RowPlanesDecoder() {
    // Arrays are allocated for the first block.
  }

  /**
   * Writes the rows, each after its length.
   *
   * @param encoded borrows: the encoded rows in its first {@code encodedLength} bytes
   * @param target borrows: at least {@code length} bytes
   * @param length bytes of the rows and their lengths
   * @throws SluiceException BLOCK_CORRUPT if these are not encoded rows of this length
   */
  public void decode(byte[] encoded, int encodedLength, byte[] target, int length)
      throws SluiceException {
    PlaneInput in = new PlaneInput(encoded, encodedLength);
    int fields = in.readShort();
    int flags = in.readByte();
    int rows = in.readInt();
    if (fields > RowPlanes.MAX_FIELDS || (flags & ~RowPlanes.FLAG_REST) != 0) {
      throw PlaneInput.damaged("fields=" + fields + " flags=" + flags);
    }
    int fixedBytes = RowPlanes.fixedBytes(fields);
    if (rows < 1 || (long) rows * (RowPlanes.LENGTH_BYTES + fixedBytes) > length) {
      throw PlaneInput.damaged(rows + " rows of " + fields + " fields in " + length + " bytes");
    }
    ensure(rows);
    int columns = RowPlanes.bitsetWords(fields) + fields;
    int kindsAt = in.take(columns);
    Arrays.fill(cursors, 0, rows, fixedBytes);
    VariableColumn[] variable = new VariableColumn[columns];
    for (int i = 0; i < columns; i++) {
      int kind = encoded[kindsAt + i];
      if (kind < RowPlanes.KIND_WORDS || kind > RowPlanes.KIND_RESERVED) {
        throw PlaneInput.damaged("unknown kind of column " + kind);
      }
      if (kind != RowPlanes.KIND_WORDS) {
        variable[i] = VariableColumn.read(in, words, rows, length, column);
        advance(variable[i], kind, rows, length);
      }
    }
    int restAt = findStarts(in, flags, rows, length);
    ByteBuffer out = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
    writeLengths(out, rows);
    writeRest(encoded, restAt, target, rows);
    Arrays.fill(cursors, 0, rows, fixedBytes);
    for (int i = 0; i < columns; i++) {
      if (variable[i] == null) {
        words.read(in, column, rows);
        writeColumn(out, i, rows);
      } else {
        writeValues(variable[i], encoded[kindsAt + i], out, i, rows);
        variable[i] = null;
      }
    }
    if (!in.isAtEnd()) {
      throw PlaneInput.damaged("bytes after the last column");
    }
  }

  private void ensure(int rows) {
    if (starts.length < rows + 1) {
      starts = new int[rows + 1];
      cursors = new int[rows];
      column = new long[WordDecoder.capacity(rows)];
    }
  }

  private void advance(VariableColumn values, int kind, int rows, int length)
      throws SluiceException {
    for (int i = 0; i < rows; i++) {
      int size = values.size(i);
      if (size >= 0) {
        int space = space(size, kind);
        if (space > length - cursors[i] || size > space) {
          throw PlaneInput.damaged("a value of " + size + " bytes in a row");
        }
        cursors[i] += space;
      }
    }
  }

  private static int space(int size, int kind) {
    return kind == RowPlanes.KIND_RESERVED ? RowPlanes.RESERVED_BYTES : RowPlanes.padded(size);
  }

  /** Computes where each row begins; returns the index of the bytes that belong to no column. */
  private int findStarts(PlaneInput in, int flags, int rows, int length) throws SluiceException {
    boolean hasRest = (flags & RowPlanes.FLAG_REST) != 0;
    if (hasRest) {
      words.read(in, column, rows);
    }
    long at = 0;
    long rest = 0;
    for (int i = 0; i < rows; i++) {
      at += RowPlanes.LENGTH_BYTES;
      starts[i] = (int) at;
      at += cursors[i];
      if (hasRest) {
        if (column[i] < 0 || column[i] > length) {
          throw PlaneInput.damaged("a rest of " + column[i] + " bytes");
        }
        at += column[i];
        rest += column[i];
      }
      if (at > length) {
        break;
      }
    }
    if (at != length) {
      throw PlaneInput.damaged("rows of another length than " + length);
    }
    starts[rows] = (int) at + RowPlanes.LENGTH_BYTES;
    return in.take((int) rest);
  }

  private void writeLengths(ByteBuffer out, int rows) {
    for (int i = 0; i < rows; i++) {
      int size = starts[i + 1] - starts[i] - RowPlanes.LENGTH_BYTES;
      out.putInt(starts[i] - RowPlanes.LENGTH_BYTES, Integer.reverseBytes(size));
    }
  }

  /** Copies what follows the last variable-length value of each row. */
  private void writeRest(byte[] encoded, int restAt, byte[] target, int rows) {
    int from = restAt;
    for (int i = 0; i < rows; i++) {
      int to = starts[i] + cursors[i];
      int size = starts[i + 1] - RowPlanes.LENGTH_BYTES - to;
      System.arraycopy(encoded, from, target, to, size);
      from += size;
    }
  }

  private void writeColumn(ByteBuffer out, int index, int rows) {
    int at = index * RowPlanes.WORD_BYTES;
    for (int i = 0; i < rows; i++) {
      out.putLong(starts[i] + at, column[i]);
    }
  }

  private void writeValues(VariableColumn values, int kind, ByteBuffer out, int index, int rows) {
    int at = index * RowPlanes.WORD_BYTES;
    for (int i = 0; i < rows; i++) {
      int size = values.size(i);
      int start = starts[i];
      if (size < 0) {
        out.putLong(start + at, 0);
      } else {
        int cursor = cursors[i];
        int end = cursor + space(size, kind);
        out.putLong(start + at, (long) cursor << Integer.SIZE | size);
        if (kind == RowPlanes.KIND_RESERVED) {
          out.putLong(start + cursor, 0);
          out.putLong(start + cursor + RowPlanes.WORD_BYTES, 0);
        }
        if (size > 0) {
          values.copy(i, out, start + cursor);
        }
        cursors[i] = end;
      }
    }
  }
}
