package io.sluice.benchmark.jmh;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Payloads that compress like rows of text, to 1/2 to 1/3 of their length. */
final class Payloads {
  private static final long SEED = 20_261_124;
  private static final int WORDS = 2000;

  private Payloads() {}

  /** Returns the same bytes for the same length. */
  static byte[] text(int length) {
    SplittableRandom random = new SplittableRandom(SEED);
    String[] words = new String[WORDS];
    for (int i = 0; i < WORDS; i++) {
      words[i] = Long.toString(random.nextLong(1L << 40), Character.MAX_RADIX);
    }
    StringBuilder text = new StringBuilder(length + 16);
    while (text.length() < length) {
      text.append(words[random.nextInt(WORDS)]).append(' ');
    }
    text.setLength(length);
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
