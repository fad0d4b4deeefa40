package io.sluice.client.push;

import io.sluice.client.rows.RowPlanes;

/**
 * Which blocks of one shuffle are encoded as row planes, and what they would need without; learned
 * from samples of all tasks of the process. Blocks of similar length are one class. Thread-safe.
 */
public final class RowBlocks {
  /** Smaller blocks gain less than their encoding costs. */
  static final int MIN_ROWS = 8;

  static final int MIN_BYTES = 512;

  /** One block of this many is also compressed without the encoding. */
  private static final int SAMPLE_INTERVAL = 8;

  /** Blocks are encoded while this leaves at most so many percent of their bytes. */
  private static final int MAX_PERCENT = 92;

  private static final int HUNDRED = 100;

  /** Blocks that are not encoded after a sample without gain, and their maximum. */
  private static final int FIRST_PAUSE = 16;

  private static final int MAX_PAUSE = 1024;

  /** A new sample counts as much as all samples before it. */
  private static final int HALF = 1;

  private static final int CLASSES = 8;

  private final int fields;
  private final SizeClass[] classes = new SizeClass[CLASSES];

  /** What to do with a block. */
  enum Choice {
    /** Store the rows as they are. */
    PLAIN,
    /** Encode the rows. */
    ENCODE,
    /** Encode the rows, and find out what they need without. */
    SAMPLE
  }

  private static final class SizeClass {
    private long length;
    private long plainLength;
    private long encodedLength;
    private int sinceSample;
    private int pause;
    private int nextPause = FIRST_PAUSE;

    private void pauseLonger() {
      pause = nextPause;
      nextPause = Math.min(MAX_PAUSE, nextPause * 2);
      sinceSample = SAMPLE_INTERVAL;
    }
  }

  /**
   * @param fields number of fields of every row
   */
  public RowBlocks(int fields) {
    this.fields = fields;
    for (int i = 0; i < CLASSES; i++) {
      classes[i] = new SizeClass();
    }
  }

  /** Whether rows with this number of fields can be encoded. */
  public static boolean isSupported(int fields) {
    return fields >= 0 && fields <= RowPlanes.MAX_FIELDS;
  }

  int fields() {
    return fields;
  }

  /** Classes are powers of two from {@link #MIN_BYTES}. */
  private SizeClass of(int length) {
    int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, length / MIN_BYTES));
    return classes[Math.min(CLASSES - 1, log)];
  }

  synchronized Choice choose(int length, int rows) {
    if (length < MIN_BYTES || rows < MIN_ROWS) {
      return Choice.PLAIN;
    }
    SizeClass of = of(length);
    if (of.pause > 0) {
      of.pause--;
      return Choice.PLAIN;
    }
    if (of.length == 0 || ++of.sinceSample >= SAMPLE_INTERVAL) {
      of.sinceSample = 0;
      return Choice.SAMPLE;
    }
    return Choice.ENCODE;
  }

  /**
   * Adds a sample.
   *
   * @param plainLength bytes of the payload without the encoding
   * @param encodedLength bytes of the payload with it
   */
  synchronized void sampled(int length, int plainLength, int encodedLength) {
    SizeClass of = of(length);
    of.length = (of.length >> HALF) + length;
    of.plainLength = (of.plainLength >> HALF) + plainLength;
    of.encodedLength = (of.encodedLength >> HALF) + encodedLength;
    if (of.encodedLength * HUNDRED > of.plainLength * MAX_PERCENT) {
      of.pauseLonger();
    } else {
      of.nextPause = FIRST_PAUSE;
    }
  }

  /** A block could not be encoded, or its encoded rows were not smaller before compression. */
  synchronized void refused(int length) {
    of(length).pauseLonger();
  }

  /** Estimated bytes of a payload without the encoding. */
  synchronized int plainLength(int length) {
    SizeClass of = of(length);
    return of.length == 0
        ? length
        : (int) Math.max(1, Math.min(length, length * of.plainLength / of.length));
  }
}
