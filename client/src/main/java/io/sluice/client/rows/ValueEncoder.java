package io.sluice.client.rows;

import java.nio.ByteBuffer;

/**
 * Writes the values of a variable-length column: as numbers if they are short, as numbers of a
 * dictionary if few of them differ, else their bytes one after the other. Owned by one thread.
 */
final class ValueEncoder {
  private static final int MIN_REPEATED = 16;
  private static final int PERCENT_FOR_RUNS = 60;
  private static final int PERCENT_FOR_NUMBERS = 70;
  private static final int HUNDRED = 100;

  private final PlaneOutput out;
  private final WordEncoder words;
  private final ValueDictionary dictionary = new ValueDictionary();
  private int[] keptPositions = new int[0];
  private int[] keptSizes = new int[0];
  private byte[] runBits = new byte[0];
  private long[] numbers = new long[0];

  ValueEncoder(PlaneOutput out, WordEncoder words) {
    this.out = out;
    this.words = words;
  }

  /**
   * Writes one value for each row.
   *
   * @param source borrows: little-endian; after each value there are zeros up to a whole word
   * @param positions where the values begin
   * @param sizes their bytes; -1 for none
   */
  void write(ByteBuffer source, int[] positions, int[] sizes, int count) {
    int tagAt = out.at();
    out.put(0);
    int kept = count < MIN_REPEATED ? 0 : keepFirstOfRuns(source, positions, sizes, count);
    if (kept > 0) {
      out.put(runBits, 0, RowPlanes.groups(count));
      writeValues(tagAt, RowPlanes.FLAG_RUNS, source, keptPositions, keptSizes, kept);
    } else {
      writeValues(tagAt, 0, source, positions, sizes, count);
    }
  }

  /** Returns how many values differ from the previous one; 0 if too many do. */
  private int keepFirstOfRuns(ByteBuffer source, int[] positions, int[] sizes, int count) {
    if (keptSizes.length < count) {
      keptPositions = new int[Math.max(count, keptPositions.length * 2)];
      keptSizes = new int[keptPositions.length];
      runBits = new byte[RowPlanes.groups(keptPositions.length)];
    }
    int most = (int) ((long) count * PERCENT_FOR_RUNS / HUNDRED);
    int kept = 0;
    int bits = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || !isSame(source, positions, sizes, i, i - 1)) {
        if (kept == most) {
          return 0;
        }
        keptPositions[kept] = positions[i];
        keptSizes[kept++] = sizes[i];
        bits |= 1 << (i & 7);
      }
      if ((i & 7) == 7 || i == count - 1) {
        runBits[i >>> 3] = (byte) bits;
        bits = 0;
      }
    }
    return kept;
  }

  private static boolean isSame(
      ByteBuffer source, int[] positions, int[] sizes, int one, int other) {
    return sizes[one] == sizes[other]
        && ValueDictionary.isSame(source, positions[one], positions[other], sizes[one]);
  }

  private void writeValues(
      int tagAt, int flags, ByteBuffer source, int[] positions, int[] sizes, int count) {
    if (count >= MIN_REPEATED && dictionary.build(source, positions, sizes, count)) {
      int entries = dictionary.size();
      out.set(tagAt, RowPlanes.FORM_DISTINCT | flags);
      out.put(entries - 1);
      int entriesAt = out.at();
      out.put(0);
      writePlain(entriesAt, 0, source, dictionary.positions(), dictionary.sizes(), entries);
      words.writeCodes(dictionary.codes(), count, entries);
      return;
    }
    writePlain(tagAt, flags, source, positions, sizes, count);
  }

  private void writePlain(
      int tagAt, int flags, ByteBuffer source, int[] positions, int[] sizes, int count) {
    int longest = 0;
    long total = 0;
    ensureNumbers(count);
    for (int i = 0; i < count; i++) {
      int size = sizes[i];
      longest = Math.max(longest, size);
      total += Math.max(0, size);
      numbers[i] = size + 1L;
    }
    words.write(numbers, count);
    int width = RowPlanes.groups(longest);
    if (longest > 0 && longest <= RowPlanes.MAX_NUMBER_BYTES) {
      long needed = 0;
      long most = total * Byte.SIZE * PERCENT_FOR_NUMBERS / HUNDRED;
      for (int word = 0; word < width && needed < most; word++) {
        loadNumbers(source, positions, sizes, count, width - 1 - word);
        needed += words.bits(numbers, count);
      }
      if (needed < most) {
        out.set(tagAt, RowPlanes.FORM_NUMBERS | flags);
        out.put(width);
        for (int word = 0; word < width; word++) {
          loadNumbers(source, positions, sizes, count, width - 1 - word);
          words.write(numbers, count);
        }
        return;
      }
    }
    out.set(tagAt, RowPlanes.FORM_BYTES | flags);
    for (int i = 0; i < count; i++) {
      if (sizes[i] > 0) {
        out.putPadded(source, positions[i], sizes[i]);
      }
    }
  }

  private void ensureNumbers(int count) {
    if (numbers.length < count) {
      numbers = new long[Math.max(count, numbers.length * 2)];
    }
  }

  /**
   * Loads a word of values that are read as big-endian numbers.
   *
   * @param index 0 is the word of the lowest bytes
   */
  private void loadNumbers(ByteBuffer source, int[] positions, int[] sizes, int count, int index) {
    for (int i = 0; i < count; i++) {
      int size = sizes[i] - index * Long.BYTES;
      if (size <= 0) {
        numbers[i] = 0;
      } else if (size >= Long.BYTES) {
        numbers[i] = Long.reverseBytes(source.getLong(positions[i] + size - Long.BYTES));
      } else {
        numbers[i] =
            Long.reverseBytes(source.getLong(positions[i])) >>> ((Long.BYTES - size) * Byte.SIZE);
      }
    }
  }
}
