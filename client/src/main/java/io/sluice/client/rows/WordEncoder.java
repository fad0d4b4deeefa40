package io.sluice.client.rows;

/**
 * Writes sequences of 64-bit words, each in the form that needs the fewest bits. Owned by one
 * thread.
 */
final class WordEncoder {
  /** A plane of more varying bits is written as bytes, which the codec can compress. */
  private static final int MAX_PACKED_BITS = 6;

  /** Bits per word from which a dictionary can be shorter. */
  private static final int MIN_DICTIONARY_BITS = 4;

  /** Fewer words are not worth a dictionary or a bitmap. */
  private static final int MIN_REPEATED_WORDS = 16;

  private static final int PERCENT_FOR_RUNS = 85;
  private static final int HUNDRED = 100;

  private final PlaneOutput out;
  private final boolean packBits;
  private final WordDictionary dictionary = new WordDictionary();
  private long[] residuals = new long[0];
  private long[] planes = new long[0];
  private long[] compacted = new long[0];

  /** Result of looking at words: how many bits each needs in the best form. */
  private static final class Analysis {
    private int form;
    private long base;
    private int bits;
    private int changes;
  }

  private final Analysis analysis = new Analysis();

  /**
   * @param out borrows
   * @param packBits whether planes with few varying bits are written bit by bit; not if the codec
   *     has an entropy coder
   */
  WordEncoder(PlaneOutput out, boolean packBits) {
    this.out = out;
    this.packBits = packBits;
  }

  /** Bits that {@link #write} needs for these words, without dictionary and runs; an estimate. */
  long bits(long[] words, int count) {
    analyze(words, count);
    return (long) analysis.bits * count;
  }

  /** Writes {@code count} words, at least one. */
  void write(long[] words, int count) {
    write(words, count, true);
  }

  private void write(long[] words, int count, boolean repeated) {
    analyze(words, count);
    int changes = analysis.changes;
    if (!repeated || count < MIN_REPEATED_WORDS || analysis.bits == 0) {
      writeForm(words, count, false);
      return;
    }
    long plain = (long) analysis.bits * count;
    if (count + (long) analysis.bits * changes < plain * PERCENT_FOR_RUNS / HUNDRED) {
      writeRuns(words, count);
      return;
    }
    writeForm(words, count, true);
  }

  private void writeRuns(long[] words, int count) {
    if (compacted.length < count + RowPlanes.WORD_BYTES) {
      compacted = new long[count + RowPlanes.WORD_BYTES];
    }
    int tagAt = out.at();
    out.put(0);
    int kept = 0;
    long previous = ~words[0];
    int bits = 0;
    for (int i = 0; i < count; i++) {
      long word = words[i];
      if (word != previous) {
        compacted[kept++] = word;
        bits |= 1 << (i & 7);
        previous = word;
      }
      if ((i & 7) == 7) {
        out.put(bits);
        bits = 0;
      }
    }
    if ((count & 7) != 0) {
      out.put(bits);
    }
    analyze(compacted, kept);
    writeFormAt(tagAt, compacted, kept, kept >= MIN_REPEATED_WORDS, RowPlanes.FLAG_RUNS);
  }

  private void writeForm(long[] words, int count, boolean mayRepeat) {
    int tagAt = out.at();
    out.put(0);
    writeFormAt(tagAt, words, count, mayRepeat, 0);
  }

  private void writeFormAt(int tagAt, long[] words, int count, boolean mayRepeat, int flags) {
    int form = analysis.form;
    long base = analysis.base;
    if (mayRepeat && analysis.bits >= MIN_DICTIONARY_BITS) {
      int limit = dictionaryLimit(analysis.bits, count);
      if (limit > 1 && dictionary.build(words, count, limit)) {
        out.set(tagAt, RowPlanes.FORM_DICTIONARY | flags);
        writeDictionary(count);
        return;
      }
    }
    int baseBytes = Long.BYTES - Long.numberOfLeadingZeros(base) / Byte.SIZE;
    out.set(tagAt, form | flags | baseBytes << RowPlanes.BASE_SHIFT);
    out.putLow(base, baseBytes);
    if (form == RowPlanes.FORM_CONSTANT) {
      return;
    }
    writePlanes(count, residuals(words, count, form, base));
  }

  /** Maximum entries with which a dictionary is shorter than {@code bits} per word. */
  private int dictionaryLimit(int bits, int count) {
    int limit = RowPlanes.MAX_DICTIONARY;
    while (limit > 1
        && (long) codeBits(limit) * count + (long) limit * bits * 2 >= (long) bits * count) {
      limit >>>= 1;
    }
    return limit;
  }

  private int codeBits(int entryCount) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(entryCount - 1);
    return packBits && bits <= MAX_PACKED_BITS ? bits : Byte.SIZE;
  }

  private void writeDictionary(int count) {
    int size = dictionary.size();
    out.put(size - 1);
    byte[] codes = dictionary.codes();
    // Writes no dictionary, which would overwrite this one.
    write(dictionary.entries(), size, false);
    writeCodes(codes, count, size);
  }

  /** Writes {@code count} numbers below {@code limit}, which is at most 256. */
  void writeCodes(byte[] codes, int count, int limit) {
    long[] words = longs(residuals, count);
    residuals = words;
    for (int i = 0; i < count; i++) {
      words[i] = codes[i] & 0xFF;
    }
    // Every code occurs, so these are exactly the bits that differ.
    int mask = (Integer.highestOneBit(Math.max(1, limit - 1)) << 1) - 1;
    writePlanes(count, limit == 1 ? 0 : mask);
  }

  private static long[] longs(long[] array, int count) {
    int needed = RowPlanes.groups(count) * RowPlanes.WORD_BYTES;
    return array.length >= needed ? array : new long[Math.max(needed, array.length * 2)];
  }

  private void analyze(long[] words, int count) {
    long first = words[0];
    long xor = 0;
    long deltas = 0;
    long min = first;
    long max = first;
    long previous = first;
    int changes = 1;
    for (int i = 1; i < count; i++) {
      long word = words[i];
      xor |= word ^ first;
      long delta = word - previous;
      deltas |= delta << 1 ^ delta >> 63;
      changes += (int) ((delta | -delta) >>> 63);
      min = Math.min(min, word);
      max = Math.max(max, word);
      previous = word;
    }
    analysis.changes = changes;
    analysis.base = first;
    if (xor == 0) {
      analysis.form = RowPlanes.FORM_CONSTANT;
      analysis.bits = 0;
      return;
    }
    analysis.form = RowPlanes.FORM_XOR;
    analysis.bits = cost(xor);
    long range = max - min;
    if (range >= 0) {
      int offset = cost(below(range));
      if (offset < analysis.bits) {
        analysis.form = RowPlanes.FORM_OFFSET;
        analysis.bits = offset;
        analysis.base = min;
      }
    }
    int delta = cost(below(deltas));
    // Differences hide repeated values from the codec.
    if (delta + 1 < analysis.bits) {
      analysis.form = RowPlanes.FORM_DELTA;
      analysis.bits = delta;
      analysis.base = first;
    }
  }

  /** The highest bit of a value, and all bits below it. */
  private static long below(long value) {
    return value == 0 ? 0 : -1L >>> Long.numberOfLeadingZeros(value);
  }

  /** Bits per word of planes with these varying bits. */
  private int cost(long mask) {
    int bits = 0;
    for (long left = mask; left != 0; left >>>= Byte.SIZE) {
      bits += planeBits((int) left & 0xFF);
    }
    return bits;
  }

  private int planeBits(int mask) {
    int varying = Integer.bitCount(mask);
    return varying == 0 || isPacked(mask) ? varying : Byte.SIZE;
  }

  private boolean isPacked(int mask) {
    return packBits && Integer.bitCount(mask) <= MAX_PACKED_BITS;
  }

  /** Computes the residuals; returns the bits that are set in at least one. */
  private long residuals(long[] words, int count, int form, long base) {
    residuals = longs(residuals, count);
    long[] target = residuals;
    long mask = 0;
    if (form == RowPlanes.FORM_XOR) {
      for (int i = 0; i < count; i++) {
        long value = words[i] ^ base;
        target[i] = value;
        mask |= value;
      }
    } else if (form == RowPlanes.FORM_OFFSET) {
      for (int i = 0; i < count; i++) {
        long value = words[i] - base;
        target[i] = value;
        mask |= value;
      }
    } else {
      long previous = base;
      for (int i = 0; i < count; i++) {
        long delta = words[i] - previous;
        previous = words[i];
        long value = delta << 1 ^ delta >> 63;
        target[i] = value;
        mask |= value;
      }
    }
    return mask;
  }

  /** Writes the masks of the residuals' bytes, then their planes. */
  private void writePlanes(int count, long mask) {
    int groups = RowPlanes.groups(count);
    for (int i = count; i < groups * RowPlanes.WORD_BYTES; i++) {
      residuals[i] = 0;
    }
    int wanted = 0;
    int packed = 0;
    for (int plane = 0; plane < RowPlanes.WORD_BYTES; plane++) {
      int bits = (int) (mask >>> (plane * Byte.SIZE)) & 0xFF;
      if (bits != 0) {
        wanted |= 1 << plane;
        packed |= isPacked(bits) ? 1 << plane : 0;
      }
    }
    out.put(wanted);
    out.put(packed);
    if (planes.length < groups * RowPlanes.WORD_BYTES) {
      planes = new long[Math.max(groups * RowPlanes.WORD_BYTES, planes.length * 2)];
    }
    BitMatrix.toPlanes(residuals, groups, wanted, planes);
    for (int plane = 0; plane < RowPlanes.WORD_BYTES; plane++) {
      if ((wanted >>> plane & 1) != 0) {
        int bits = (int) (mask >>> (plane * Byte.SIZE)) & 0xFF;
        if ((packed >>> plane & 1) != 0) {
          out.put(bits);
          writeBits(plane * groups, groups, bits);
        } else {
          out.putBytes(planes, plane * groups, count);
        }
      }
    }
  }

  private void writeBits(int from, int groups, int mask) {
    for (int g = 0; g < groups; g++) {
      planes[from + g] = BitMatrix.transposeBits(planes[from + g]);
    }
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      if ((mask >>> bit & 1) != 0) {
        out.putColumn(planes, from, groups, bit * Byte.SIZE);
      }
    }
  }
}
