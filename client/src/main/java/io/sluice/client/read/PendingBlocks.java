package io.sluice.client.read;

import java.util.HashMap;
import java.util.Map;

/**
 * Decompressed blocks of one partition that cannot be delivered yet, by attempt index and block
 * number. Owned by one thread.
 */
final class PendingBlocks {
  // Attempts without pending blocks have no entry.
  private Map<Integer, Map<Integer, Block>> byAttempt;

  /** A decompressed block. */
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

  void put(int attemptIndex, int sequence, Block block) {
    if (byAttempt == null) {
      byAttempt = new HashMap<>();
    }
    byAttempt.computeIfAbsent(attemptIndex, i -> new HashMap<>()).put(sequence, block);
  }

  /** Returns a block, or null if it is not pending. */
  Block get(int attemptIndex, int sequence) {
    Map<Integer, Block> ofAttempt = byAttempt == null ? null : byAttempt.get(attemptIndex);
    return ofAttempt == null ? null : ofAttempt.get(sequence);
  }

  /** Removes and returns a pending block. */
  Block remove(int attemptIndex, int sequence) {
    Map<Integer, Block> ofAttempt = byAttempt.get(attemptIndex);
    Block block = ofAttempt.remove(sequence);
    if (ofAttempt.isEmpty()) {
      byAttempt.remove(attemptIndex);
    }
    return block;
  }

  /** Whether an attempt has pending blocks. */
  boolean hasAny(int attemptIndex) {
    return byAttempt != null && byAttempt.containsKey(attemptIndex);
  }
}
