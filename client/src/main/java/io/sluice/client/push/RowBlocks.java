package io.sluice.client.push;

import io.sluice.client.rows.BlockEncoder;
import io.sluice.client.rows.RecordPlanesEncoder;
import io.sluice.client.rows.RowPlanes;
import io.sluice.client.rows.RowPlanesEncoder;

/**
 * Which blocks of one shuffle are encoded, as row planes or record planes, and what they would need
 * without; learned from samples of all tasks of the process. Blocks of similar length are one
 * class. Thread-safe.
 */
public final class RowBlocks {
  /** Smaller blocks gain less than their encoding costs. */
  static final int MIN_ROWS = 8;

  static final int MIN_BYTES = 512;

  /** Of one block of this many, the first bytes are also compressed without the encoding. */
  private static final int SAMPLE_INTERVAL = 8;

  /** Of one sample of this many, all bytes are. */
  private static final int COMPARISON_INTERVAL = 4;

  /** Blocks are encoded while this leaves at most so many percent of their bytes. */
  private static final int MAX_PERCENT = 92;

  private static final int HUNDRED = 100;

  /** Blocks that are not encoded after a sample without gain, and their maximum. */
  private static final int FIRST_PAUSE = 16;

  private static final int MAX_PAUSE = 1024;

  private static final int HALF = 1;

  private static final int CLASSES = 8;

  private final Encoders encoders;
  private final SizeClass[] classes = new SizeClass[CLASSES];

  /** What to do with a block. */
  enum Choice {
    /** Store the rows as they are. */
    PLAIN,
    /** Encode the rows. */
    ENCODE,
    /** Encode the rows, and estimate what they need without, as in the built-in shuffle. */
    SAMPLE,
    /** Encode the rows, and also find out what the block needs without. */
    COMPARE
  }

  private static final class SizeClass {
    private final Share sampled = new Share();
    private final Share compared = new Share();
    private long encodedLength;
    private int samples;
    private int sinceSample;
    private int pause;
    private int nextPause = FIRST_PAUSE;

    private void pauseLonger() {
      pause = nextPause;
      nextPause = Math.min(MAX_PAUSE, nextPause * 2);
      // The next block that is encoded is compared.
      sinceSample = SAMPLE_INTERVAL;
      samples = 0;
    }
  }

  /** Sums of lengths before and after compression; a new one counts as much as all before it. */
  private static final class Share {
    private long length;
    private long plainLength;

    private void add(int oneLength, int onePlainLength) {
      length = (length >> HALF) + oneLength;
      plainLength = (plainLength >> HALF) + onePlainLength;
    }

    private int of(int otherLength) {
      return length == 0
          ? otherLength
          : (int) Math.max(1, Math.min(otherLength, otherLength * plainLength / length));
    }
  }

  /** Creates an encoder for one thread. */
  private interface Encoders {
    BlockEncoder create(boolean packBits);
  }

  /**
   * Rows of Spark SQL.
   *
   * @param fields number of fields of every row
   */
  public RowBlocks(int fields) {
    this(packBits -> new RowPlanesEncoder(fields, packBits));
  }

  /**
   * Records of MapReduce.
   *
   * @param leadBytes bytes before the first record of a block
   */
  public static RowBlocks ofRecords(int leadBytes) {
    return new RowBlocks(packBits -> new RecordPlanesEncoder(leadBytes, packBits));
  }

  private RowBlocks(Encoders encoders) {
    this.encoders = encoders;
    for (int i = 0; i < CLASSES; i++) {
      classes[i] = new SizeClass();
    }
  }

  /** Whether rows with this number of fields can be encoded. */
  public static boolean isSupported(int fields) {
    return fields >= 0 && fields <= RowPlanes.MAX_FIELDS;
  }

  /**
   * Creates an encoder, owned by one thread.
   *
   * @param packBits whether to write single bits; not if the codec has an entropy coder
   */
  BlockEncoder encoder(boolean packBits) {
    return encoders.create(packBits);
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
    if (of.samples > 0 && ++of.sinceSample < SAMPLE_INTERVAL) {
      return Choice.ENCODE;
    }
    of.sinceSample = 0;
    return of.samples++ % COMPARISON_INTERVAL == 0 ? Choice.COMPARE : Choice.SAMPLE;
  }

  /**
   * Adds a sample.
   *
   * @param plainLength bytes of the payload without the encoding, as in the built-in shuffle
   */
  synchronized void sampled(int length, int plainLength) {
    of(length).sampled.add(length, plainLength);
  }

  /**
   * Adds the comparison of a block.
   *
   * @param plainLength bytes of the payload without the encoding
   * @param encodedLength bytes of the payload with it
   */
  synchronized void compared(int length, int plainLength, int encodedLength) {
    SizeClass of = of(length);
    of.compared.add(length, plainLength);
    of.encodedLength = (of.encodedLength >> HALF) + encodedLength;
    if (of.encodedLength * HUNDRED > of.compared.plainLength * MAX_PERCENT) {
      of.pauseLonger();
    } else {
      of.nextPause = FIRST_PAUSE;
    }
  }

  /** A block could not be encoded, or its encoded rows were not smaller before compression. */
  synchronized void refused(int length) {
    of(length).pauseLonger();
  }

  /** Estimated bytes of a payload without the encoding, as in the built-in shuffle. */
  synchronized int sampledLength(int length) {
    return of(length).sampled.of(length);
  }

  /** Estimated bytes of a payload without the encoding. */
  synchronized int comparedLength(int length) {
    return of(length).compared.of(length);
  }
}
