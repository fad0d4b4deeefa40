package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;

/** Bitmap of the values that differ from the previous one. Owned by one thread. */
final class RunBitmap {
  private byte[] bytes;
  private int from;
  private int count;

  /** Reads the bitmap of {@code count} values and returns how many are kept. */
  int read(PlaneInput in, int count) throws SluiceException {
    int length = RowPlanes.groups(count);
    this.from = in.take(length);
    this.bytes = in.bytes();
    this.count = count;
    int kept = 0;
    for (int i = 0; i < length; i++) {
      kept += Integer.bitCount(bytes[from + i] & 0xFF);
    }
    int unused = length * Byte.SIZE - count;
    if ((bytes[from] & 1) == 0 || (bytes[from + length - 1] & 0xFF) >>> (Byte.SIZE - unused) != 0) {
      throw PlaneInput.damaged("invalid bitmap of " + count + " values");
    }
    return kept;
  }

  private boolean isKept(int index) {
    return (bytes[from + (index >>> 3)] >>> (index & 7) & 1) != 0;
  }

  /** Repeats the first {@code kept} values, in place. */
  void expand(long[] values, int kept) {
    int value = kept - 1;
    for (int i = count - 1; i >= 0; i--) {
      values[i] = values[value];
      value -= isKept(i) ? 1 : 0;
    }
  }

  /** Repeats the first {@code kept} values, in place. */
  void expand(int[] values, int kept) {
    int value = kept - 1;
    for (int i = count - 1; i >= 0; i--) {
      values[i] = values[value];
      value -= isKept(i) ? 1 : 0;
    }
  }
}
