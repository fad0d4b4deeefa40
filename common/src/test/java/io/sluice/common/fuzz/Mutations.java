package io.sluice.common.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Mutations that often reveal errors of decoders: lengths, signs, truncation, repetition. */
final class Mutations {
  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_REPETITIONS = 4 << 10;

  private static final long[] EDGES = {
    0,
    1,
    -1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    1 << 16,
    1 << 20,
    1 << 24,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final Random random;
  private final List<byte[]> words;

  /**
   * @param words dictionary of the decoder
   */
  Mutations(Random random, List<byte[]> words) {
    this.random = random;
    this.words = words;
  }

  /** Applies one to four changes. Borrows both arguments. */
  byte[] of(byte[] input, byte[] other) {
    byte[] changed = input;
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      changed = once(changed, other);
    }
    return changed.length > MAX_BYTES ? Arrays.copyOf(changed, MAX_BYTES) : changed;
  }

  private byte[] once(byte[] input, byte[] other) {
    int at = random.nextInt(input.length + 1);
    int end = at + random.nextInt(1 + Math.min(64, input.length - at));
    return switch (random.nextInt(12)) {
      case 0, 1 -> set(input, at, (byte) (1 << random.nextInt(8)), true);
      case 2, 3 -> set(input, at, (byte) random.nextInt(256), false);
      case 4, 5, 6 -> number(input, at);
      case 7 -> Arrays.copyOf(input, at);
      case 8 -> splice(input, at, end, new byte[0]);
      case 9 -> splice(input, at, at, repeated(Arrays.copyOfRange(input, at, end)));
      case 10 -> splice(input, at, end, word(other));
      default -> splice(input, at, at, word(other));
    };
  }

  private static byte[] set(byte[] input, int at, byte value, boolean flip) {
    byte[] changed = input.clone();
    if (at < changed.length) {
      changed[at] = flip ? (byte) (changed[at] ^ value) : value;
    }
    return changed;
  }

  /** Replaces a number by an edge case or by a nearby value. */
  private byte[] number(byte[] input, int at) {
    int width = 1 << random.nextInt(4);
    if (at + width > input.length) {
      return input;
    }
    boolean little = random.nextInt(4) != 0;
    byte[] changed = input.clone();
    long value = EDGES[random.nextInt(EDGES.length)];
    if (random.nextBoolean()) {
      value = 0;
      for (int i = 0; i < width; i++) {
        value |= (input[at + (little ? i : width - 1 - i)] & 0xffL) << (8 * i);
      }
      value += random.nextInt(65) - 32;
    }
    for (int i = 0; i < width; i++) {
      changed[at + (little ? i : width - 1 - i)] = (byte) (value >>> (8 * i));
    }
    return changed;
  }

  private byte[] repeated(byte[] part) {
    int times = random.nextInt(50) == 0 ? random.nextInt(MAX_REPETITIONS) : random.nextInt(4);
    byte[] all = new byte[part.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(part, 0, all, i * part.length, part.length);
    }
    return all;
  }

  private byte[] word(byte[] other) {
    if (!words.isEmpty() && random.nextBoolean()) {
      return words.get(random.nextInt(words.size()));
    }
    if (random.nextInt(4) == 0) {
      return Long.toString(EDGES[random.nextInt(EDGES.length)]).getBytes(StandardCharsets.US_ASCII);
    }
    int at = random.nextInt(other.length + 1);
    return Arrays.copyOfRange(other, at, at + random.nextInt(1 + Math.min(256, other.length - at)));
  }

  private static byte[] splice(byte[] input, int from, int to, byte[] in) {
    byte[] changed = Arrays.copyOf(input, from + in.length + input.length - to);
    System.arraycopy(in, 0, changed, from, in.length);
    System.arraycopy(input, to, changed, from + in.length, input.length - to);
    return changed;
  }
}
