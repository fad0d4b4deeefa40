package io.sluice.client.read;

import java.util.HashMap;
import java.util.Map;

/**
 * Decompressed blocks of one partition that cannot be given yet, by place of their attempt and
 * number. Belongs to one thread.
 */
final class HeldBlocks {
  // Without an entry for attempts of which nothing is held.
  private Map<Integer, Map<Integer, Block>> byPlace;

  /** Contents of a block. */
  static final class Block {
    private final byte[] content;
    private final int records;
    private final boolean continued;

    /**
     * @param content takes
     */
    Block(byte[] content, int records, boolean continued) {
      this.content = content;
      this.records = records;
      this.continued = continued;
    }

    byte[] content() {
      return content;
    }

    int records() {
      return records;
    }

    boolean isContinued() {
      return continued;
    }
  }

  void put(int place, int sequence, Block block) {
    if (byPlace == null) {
      byPlace = new HashMap<>();
    }
    byPlace.computeIfAbsent(place, p -> new HashMap<>()).put(sequence, block);
  }

  /** The block, or null if it is not held. */
  Block get(int place, int sequence) {
    Map<Integer, Block> ofPlace = byPlace == null ? null : byPlace.get(place);
    return ofPlace == null ? null : ofPlace.get(sequence);
  }

  /** Takes out a block that is held. */
  Block remove(int place, int sequence) {
    Map<Integer, Block> ofPlace = byPlace.get(place);
    Block block = ofPlace.remove(sequence);
    if (ofPlace.isEmpty()) {
      byPlace.remove(place);
    }
    return block;
  }

  /** Whether anything of an attempt is held. */
  boolean hasAny(int place) {
    return byPlace != null && byPlace.containsKey(place);
  }
}
