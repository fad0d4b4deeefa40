package io.sluice.simulation;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.SplittableRandom;

/** A random generator of one simulation: without atomic operations, and fast for many bytes. */
final class FastRandom extends Random {
  private static final long serialVersionUID = 1L;

  private transient SplittableRandom source;

  FastRandom(long seed) {
    super(0);
    source = new SplittableRandom(seed);
  }

  @Override
  protected int next(int bits) {
    return (int) (source.nextLong() >>> (Long.SIZE - bits));
  }

  @Override
  public void nextBytes(byte[] bytes) {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.remaining() >= Long.BYTES) {
      left.putLong(source.nextLong());
    }
    for (long last = source.nextLong(); left.hasRemaining(); last >>= Byte.SIZE) {
      left.put((byte) last);
    }
  }
}
