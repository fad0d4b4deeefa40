package io.sluice.client.rows;

import io.sluice.common.block.BlockEncoding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Encodes blocks of rows, see {@link RowPlanes}. Owned by one thread. */
public final class RowPlanesEncoder implements BlockEncoder {
  private final int fields;
  private final int columns;
  private final int fixedBytes;
  private final PlaneOutput out = new PlaneOutput();
  private final WordEncoder words;
  private final ValueEncoder values;
  private final RowTails tails;
  private int[] starts = new int[0];
  private long[] column = new long[0];
  private int rows;
  private ByteBuffer source;

  /**
   * @param fields number of fields of every row, at most {@link RowPlanes#MAX_FIELDS}
   * @param packBits whether to write single bits; not if the codec has an entropy coder
   */
  public RowPlanesEncoder(int fields, boolean packBits) {
    if (fields < 0 || fields > RowPlanes.MAX_FIELDS) {
      throw new IllegalArgumentException(
          "number of fields " + fields + ": expected 0 to " + RowPlanes.MAX_FIELDS);
    }
    this.fields = fields;
    this.columns = RowPlanes.bitsetWords(fields) + fields;
    this.fixedBytes = RowPlanes.fixedBytes(fields);
    this.words = new WordEncoder(out, packBits);
    this.values = new ValueEncoder(out, words);
    this.tails = new RowTails(columns, fixedBytes);
  }

  @Override
  public BlockEncoding encoding() {
    return BlockEncoding.ROW_PLANES;
  }

  /** Encodes whole rows, each after its length. */
  @Override
  public int encode(byte[] bytes, int offset, int length, int count) {
    source = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (!findRows(offset, length, count)) {
      return -1;
    }
    tails.find(source, starts, rows);
    out.clear();
    out.putShort(fields);
    out.put(tails.hasRest() ? RowPlanes.FLAG_REST : 0);
    out.putInt(rows);
    for (int i = 0; i < columns; i++) {
      out.put(tails.kind(i));
    }
    for (int i = 0; i < columns; i++) {
      if (tails.kind(i) != RowPlanes.KIND_WORDS) {
        tails.load(i);
        values.write(source, tails.positions(), tails.sizes(), rows);
      }
    }
    if (tails.hasRest()) {
      writeRest(bytes);
    }
    for (int i = 0; i < columns; i++) {
      if (tails.kind(i) == RowPlanes.KIND_WORDS) {
        writeColumn(i);
      }
    }
    return out.at() < length ? out.at() : -1;
  }

  @Override
  public byte[] encoded() {
    return out.bytes();
  }

  private boolean findRows(int offset, int length, int count) {
    if (count < 1 || count > length / RowPlanes.LENGTH_BYTES) {
      return false;
    }
    if (starts.length < count + 1) {
      starts = new int[Math.max(count + 1, starts.length * 2)];
    }
    int at = offset;
    int end = offset + length;
    for (int i = 0; i < count; i++) {
      if (end - at < RowPlanes.LENGTH_BYTES) {
        return false;
      }
      int size = Integer.reverseBytes(source.getInt(at));
      at += RowPlanes.LENGTH_BYTES;
      if (size < fixedBytes || size > end - at) {
        return false;
      }
      starts[i] = at;
      at += size;
    }
    starts[count] = at + RowPlanes.LENGTH_BYTES;
    rows = count;
    return at == end;
  }

  private void writeColumn(int index) {
    ensureColumn();
    ByteBuffer from = source;
    int at = index * RowPlanes.WORD_BYTES;
    long[] target = column;
    for (int i = 0; i < rows; i++) {
      target[i] = from.getLong(starts[i] + at);
    }
    words.write(target, rows);
  }

  /** Writes the bytes that belong to no column: their lengths, then all of them in row order. */
  private void writeRest(byte[] bytes) {
    ensureColumn();
    for (int i = 0; i < rows; i++) {
      column[i] = tails.restBytes(i);
    }
    words.write(column, rows);
    for (int i = 0; i < rows; i++) {
      int size = tails.restBytes(i);
      out.put(bytes, tails.endOf(i) - size, size);
    }
  }

  private void ensureColumn() {
    if (column.length < rows) {
      column = new long[Math.max(rows, column.length * 2)];
    }
  }
}
