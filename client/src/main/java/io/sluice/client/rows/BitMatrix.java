package io.sluice.client.rows;

/** Transposes matrices of bytes and of bits. Stateless. */
final class BitMatrix {
  private static final long LOW_INTS = 0x0000_0000_FFFF_FFFFL;
  private static final long LOW_SHORTS = 0x0000_FFFF_0000_FFFFL;
  private static final long LOW_BYTES = 0x00FF_00FF_00FF_00FFL;
  private static final int BYTES = 8;

  private BitMatrix() {}

  /**
   * Turns groups of eight words into planes of bytes: byte {@code i} of {@code planes[p * groups +
   * g]} is byte {@code p} of {@code words[8 * g + i]}.
   *
   * @param wanted planes whose bytes are not zero have a bit; other planes are not written
   */
  static void toPlanes(long[] words, int groups, int wanted, long[] planes) {
    if (Integer.bitCount(wanted) <= 2) {
      for (int plane = 0; plane < BYTES; plane++) {
        if ((wanted >>> plane & 1) != 0) {
          toPlane(words, groups, plane, planes);
        }
      }
      return;
    }
    for (int g = 0; g < groups; g++) {
      int at = g * BYTES;
      long a0 = words[at];
      long a1 = words[at + 1];
      long a2 = words[at + 2];
      long a3 = words[at + 3];
      long a4 = words[at + 4];
      long a5 = words[at + 5];
      long a6 = words[at + 6];
      long a7 = words[at + 7];
      long t = (a0 >>> 32 ^ a4) & LOW_INTS;
      a0 ^= t << 32;
      a4 ^= t;
      t = (a1 >>> 32 ^ a5) & LOW_INTS;
      a1 ^= t << 32;
      a5 ^= t;
      t = (a2 >>> 32 ^ a6) & LOW_INTS;
      a2 ^= t << 32;
      a6 ^= t;
      t = (a3 >>> 32 ^ a7) & LOW_INTS;
      a3 ^= t << 32;
      a7 ^= t;
      t = (a0 >>> 16 ^ a2) & LOW_SHORTS;
      a0 ^= t << 16;
      a2 ^= t;
      t = (a1 >>> 16 ^ a3) & LOW_SHORTS;
      a1 ^= t << 16;
      a3 ^= t;
      t = (a4 >>> 16 ^ a6) & LOW_SHORTS;
      a4 ^= t << 16;
      a6 ^= t;
      t = (a5 >>> 16 ^ a7) & LOW_SHORTS;
      a5 ^= t << 16;
      a7 ^= t;
      t = (a0 >>> 8 ^ a1) & LOW_BYTES;
      planes[g] = a0 ^ t << 8;
      planes[groups + g] = a1 ^ t;
      t = (a2 >>> 8 ^ a3) & LOW_BYTES;
      planes[2 * groups + g] = a2 ^ t << 8;
      planes[3 * groups + g] = a3 ^ t;
      t = (a4 >>> 8 ^ a5) & LOW_BYTES;
      planes[4 * groups + g] = a4 ^ t << 8;
      planes[5 * groups + g] = a5 ^ t;
      t = (a6 >>> 8 ^ a7) & LOW_BYTES;
      planes[6 * groups + g] = a6 ^ t << 8;
      planes[7 * groups + g] = a7 ^ t;
    }
  }

  private static void toPlane(long[] words, int groups, int plane, long[] planes) {
    int shift = plane * BYTES;
    for (int g = 0; g < groups; g++) {
      int at = g * BYTES;
      planes[plane * groups + g] =
          (words[at] >>> shift & 0xFF)
              | (words[at + 1] >>> shift & 0xFF) << 8
              | (words[at + 2] >>> shift & 0xFF) << 16
              | (words[at + 3] >>> shift & 0xFF) << 24
              | (words[at + 4] >>> shift & 0xFF) << 32
              | (words[at + 5] >>> shift & 0xFF) << 40
              | (words[at + 6] >>> shift & 0xFF) << 48
              | (words[at + 7] >>> shift) << 56;
    }
  }

  /**
   * Adds one plane to groups of eight words: the inverse of {@link #toPlanes} for this plane.
   *
   * @param bytes byte {@code i} of {@code bytes[g]} belongs to word {@code 8 * g + i}
   */
  static void addPlane(long[] bytes, int groups, int plane, long[] words) {
    int shift = plane * BYTES;
    for (int g = 0; g < groups; g++) {
      int at = g * BYTES;
      long x = bytes[g];
      words[at] |= (x & 0xFF) << shift;
      words[at + 1] |= (x >>> 8 & 0xFF) << shift;
      words[at + 2] |= (x >>> 16 & 0xFF) << shift;
      words[at + 3] |= (x >>> 24 & 0xFF) << shift;
      words[at + 4] |= (x >>> 32 & 0xFF) << shift;
      words[at + 5] |= (x >>> 40 & 0xFF) << shift;
      words[at + 6] |= (x >>> 48 & 0xFF) << shift;
      words[at + 7] |= x >>> 56 << shift;
    }
  }

  /** Transposes 8 x 8 bits: bit {@code j} of byte {@code i} becomes bit {@code i} of byte j. */
  static long transposeBits(long bits) {
    long x = bits;
    long t = (x ^ x >>> 7) & 0x00AA_00AA_00AA_00AAL;
    x ^= t ^ t << 7;
    t = (x ^ x >>> 14) & 0x0000_CCCC_0000_CCCCL;
    x ^= t ^ t << 14;
    t = (x ^ x >>> 28) & 0x0000_0000_F0F0_F0F0L;
    return x ^ t ^ t << 28;
  }
}
