package io.sluice.client.rows;

/** Numbers of the format; {@code docs/formats.md} describes it. Stateless. */
final class RecordPlanes {
  /** Maximum length of keys and values that are stored as words. */
  static final int MAX_FIXED_BYTES = 4096;

  /** Minimum bytes of a record on average, so that a decoder's memory is bounded. */
  static final int MIN_RECORD_BYTES = 4;

  /** Flags of the head: all keys, or all values, have one length and are stored as words. */
  static final int FIXED_KEYS = 1;

  static final int FIXED_VALUES = 2;

  private static final int MAX_SHORT_NUMBER = 127;
  private static final int LONG_NUMBER = -112;

  private RecordPlanes() {}

  /** Bytes of a number, at least 0, as Hadoop writes it. */
  static int numberBytes(int number) {
    return number <= MAX_SHORT_NUMBER
        ? 1
        : 1 + (Integer.SIZE - Integer.numberOfLeadingZeros(number) + 7) / Byte.SIZE;
  }

  /**
   * Reads a number that Hadoop wrote; -1 if there is none that is at least 0, and written in the
   * only way of Hadoop.
   */
  static int readNumber(byte[] bytes, int at, int end) {
    if (at >= end) {
      return -1;
    }
    int first = bytes[at];
    if (first >= 0) {
      return first;
    }
    int size = LONG_NUMBER - first;
    if (size < 1 || size > Integer.BYTES || end - at <= size) {
      return -1;
    }
    int number = 0;
    for (int i = 1; i <= size; i++) {
      number = (number << Byte.SIZE) | (bytes[at + i] & 0xFF);
    }
    return number >= 0 && numberBytes(number) == size + 1 ? number : -1;
  }

  /** Writes a number, at least 0, as Hadoop does; returns the index after it. */
  static int writeNumber(int number, byte[] target, int at) {
    if (number <= MAX_SHORT_NUMBER) {
      target[at] = (byte) number;
      return at + 1;
    }
    int size = numberBytes(number) - 1;
    target[at] = (byte) (LONG_NUMBER - size);
    for (int i = 1; i <= size; i++) {
      target[at + i] = (byte) (number >>> ((size - i) * Byte.SIZE));
    }
    return at + 1 + size;
  }
}
