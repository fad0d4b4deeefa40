package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;
import java.util.Arrays;

/** Reads sequences of words that {@link WordEncoder} wrote. Owned by one thread. */
final class WordDecoder {
  private final RunBitmap runs = new RunBitmap();
  private final long[] entries = new long[RowPlanes.MAX_DICTIONARY];
  private long[] plane = new long[0];

  /** Length of an array for {@code count} words. */
  static int capacity(int count) {
    return RowPlanes.groups(count) * RowPlanes.WORD_BYTES;
  }

  /**
   * Reads {@code count} words.
   *
   * @param target of at least {@link #capacity} words
   */
  void read(PlaneInput in, long[] target, int count) throws SluiceException {
    int tag = in.readByte();
    if ((tag & RowPlanes.FLAG_RUNS) == 0) {
      readForm(in, tag, target, count);
      return;
    }
    int kept = runs.read(in, count);
    readForm(in, tag & ~RowPlanes.FLAG_RUNS, target, kept);
    runs.expand(target, kept);
  }

  private void readForm(PlaneInput in, int tag, long[] target, int count) throws SluiceException {
    if (tag == RowPlanes.FORM_DICTIONARY) {
      readDictionary(in, target, count);
      return;
    }
    readSimple(in, tag, target, count);
  }

  private void readSimple(PlaneInput in, int tag, long[] target, int count) throws SluiceException {
    int form = tag & ((1 << RowPlanes.BASE_SHIFT) - 1);
    int baseBytes = tag >>> RowPlanes.BASE_SHIFT;
    if (form > RowPlanes.FORM_DELTA || baseBytes > Long.BYTES) {
      throw PlaneInput.damaged("unknown form of words " + tag);
    }
    long base = in.readLow(baseBytes);
    if (form == RowPlanes.FORM_CONSTANT) {
      Arrays.fill(target, 0, count, base);
      return;
    }
    readPlanes(in, target, count);
    if (form == RowPlanes.FORM_XOR) {
      for (int i = 0; i < count; i++) {
        target[i] ^= base;
      }
    } else if (form == RowPlanes.FORM_OFFSET) {
      for (int i = 0; i < count; i++) {
        target[i] += base;
      }
    } else {
      long value = base;
      for (int i = 0; i < count; i++) {
        long zigzag = target[i];
        value += zigzag >>> 1 ^ -(zigzag & 1);
        target[i] = value;
      }
    }
  }

  private void readDictionary(PlaneInput in, long[] target, int count) throws SluiceException {
    int size = in.readByte() + 1;
    readSimple(in, in.readByte(), entries, size);
    readCodes(in, target, count, size);
    for (int i = 0; i < count; i++) {
      target[i] = entries[(int) target[i]];
    }
  }

  /** Reads {@code count} numbers from 0 to {@code limit - 1}. */
  void readCodes(PlaneInput in, long[] target, int count, int limit) throws SluiceException {
    readPlanes(in, target, count);
    for (int i = 0; i < count; i++) {
      if (target[i] < 0 || target[i] >= limit) {
        throw PlaneInput.damaged("entry " + target[i] + " of a dictionary with " + limit);
      }
    }
  }

  private void readPlanes(PlaneInput in, long[] target, int count) throws SluiceException {
    int groups = RowPlanes.groups(count);
    Arrays.fill(target, 0, groups * RowPlanes.WORD_BYTES, 0);
    if (plane.length < groups) {
      plane = new long[Math.max(groups, plane.length * 2)];
    }
    int wanted = in.readByte();
    int packed = in.readByte();
    if ((packed & ~wanted) != 0) {
      throw PlaneInput.damaged("planes " + wanted + " with bits in " + packed);
    }
    for (int i = 0; i < RowPlanes.WORD_BYTES; i++) {
      if ((wanted >>> i & 1) != 0) {
        if ((packed >>> i & 1) != 0) {
          readBits(in, groups);
        } else {
          in.readBytes(plane, count);
        }
        BitMatrix.addPlane(plane, groups, i, target);
      }
    }
  }

  private void readBits(PlaneInput in, int groups) throws SluiceException {
    int mask = in.readByte();
    Arrays.fill(plane, 0, groups, 0);
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      if ((mask >>> bit & 1) != 0) {
        in.addColumn(plane, groups, bit * Byte.SIZE);
      }
    }
    for (int g = 0; g < groups; g++) {
      plane[g] = BitMatrix.transposeBits(plane[g]);
    }
  }
}
