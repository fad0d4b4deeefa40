package io.sluice.client.rows;

/** Numbers of the format; {@code docs/formats.md} describes it. */
public final class RowPlanes {
  /** Maximum number of fields of a row. Wider rows are stored as they are. */
  public static final int MAX_FIELDS = 4096;

  /** Bytes before the rows of an encoded block: number of fields, flags, number of rows. */
  static final int HEAD_BYTES = 7;

  /** Bytes of a row's length before the row; big-endian, unlike everything else. */
  static final int LENGTH_BYTES = 4;

  static final int WORD_BYTES = 8;

  /** Flag of the head: rows have bytes that belong to no column. */
  static final int FLAG_REST = 1;

  // Kinds of a column.
  static final int KIND_WORDS = 0;
  static final int KIND_VARIABLE = 1;

  /** As {@link #KIND_VARIABLE}; every value has 16 bytes in the row, however long it is. */
  static final int KIND_RESERVED = 2;

  /** Bytes of a reserved value in the row. */
  static final int RESERVED_BYTES = 16;

  // Forms of a sequence of words, in the lower bits of its tag.
  static final int FORM_CONSTANT = 0;
  static final int FORM_XOR = 1;
  static final int FORM_OFFSET = 2;
  static final int FORM_DELTA = 3;
  static final int FORM_DICTIONARY = 4;

  // Forms of the values of a variable-length column.
  static final int FORM_BYTES = 5;
  static final int FORM_NUMBERS = 6;
  static final int FORM_DISTINCT = 7;

  static final int FORM_MASK = 7;

  /** Flag of a tag: only values that differ from the previous one follow, after a bitmap. */
  static final int FLAG_RUNS = 8;

  /** In a tag of words: number of bytes of the base. */
  static final int BASE_SHIFT = 4;

  /** Maximum number of entries of a dictionary. */
  static final int MAX_DICTIONARY = 256;

  /** Maximum bytes of a value in {@link #FORM_NUMBERS}. */
  static final int MAX_NUMBER_BYTES = 32;

  private RowPlanes() {}

  /** Number of words of a row's null bitset. */
  static int bitsetWords(int fields) {
    return (fields + Long.SIZE - 1) / Long.SIZE;
  }

  /** Bytes of null bitset and slots. */
  static int fixedBytes(int fields) {
    return (bitsetWords(fields) + fields) * WORD_BYTES;
  }

  /** Rounds up to whole words. */
  static int padded(int length) {
    return (length + WORD_BYTES - 1) & -WORD_BYTES;
  }

  /** Number of groups of eight. */
  static int groups(int count) {
    return (count + WORD_BYTES - 1) / WORD_BYTES;
  }
}
