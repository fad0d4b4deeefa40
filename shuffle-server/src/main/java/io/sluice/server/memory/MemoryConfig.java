package io.sluice.server.memory;

/**
 * Size of the arena and its marks.
 *
 * @param capacityBytes bytes of the arena; what is not a whole slab is left unused
 * @param slabBytes bytes of one slab, a power of two: the unit of allocation and of accounting
 * @param highPercent above this share of the capacity, spilling starts
 * @param lowPercent spilling goes on down to this share
 */
public record MemoryConfig(long capacityBytes, int slabBytes, int highPercent, int lowPercent) {
  /** A body of 1 MiB, a usual one, wastes at most 6 % in its last slab. */
  public static final int DEFAULT_SLAB_BYTES = 64 << 10;

  public static final int DEFAULT_HIGH_PERCENT = 75;
  public static final int DEFAULT_LOW_PERCENT = 25;

  public MemoryConfig {
    if (slabBytes < 1024 || Integer.bitCount(slabBytes) != 1) {
      throw new IllegalArgumentException(
          "slab size must be a power of two of at least 1024 bytes: " + slabBytes);
    }
    if (capacityBytes < slabBytes || capacityBytes / slabBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "memory capacity must be between one and 2^31-1 slabs of "
              + slabBytes
              + " bytes: "
              + capacityBytes);
    }
    if (lowPercent < 0 || lowPercent >= highPercent || highPercent > 100) {
      throw new IllegalArgumentException(
          "memory marks must be 0 <= low < high <= 100: low "
              + lowPercent
              + ", high "
              + highPercent);
    }
  }

  public static MemoryConfig ofCapacity(long capacityBytes) {
    return new MemoryConfig(
        capacityBytes, DEFAULT_SLAB_BYTES, DEFAULT_HIGH_PERCENT, DEFAULT_LOW_PERCENT);
  }

  int capacitySlabs() {
    return (int) (capacityBytes / slabBytes);
  }

  /** Slabs that hold {@code length} bytes. */
  int slabs(int length) {
    return (int) (((long) length + slabBytes - 1) / slabBytes);
  }
}
