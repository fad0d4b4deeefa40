package io.sluice.common.net;

import java.util.concurrent.ConcurrentHashMap;

/** One counter per key; a key whose count is 0 uses no memory. Thread-safe. */
public final class KeyedCounts {
  private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

  /**
   * Increments the count of a key.
   *
   * @return false if the count is already {@code max}
   */
  public boolean add(String key, int max) {
    return add(key, 1, max);
  }

  /**
   * Adds an amount to the count of a key.
   *
   * @param amount at least 1
   * @return false, with an unchanged count, if the count would exceed {@code max}
   */
  public boolean add(String key, int amount, int max) {
    boolean[] added = {false};
    counts.compute(
        key,
        (same, count) -> {
          int now = count == null ? 0 : count;
          added[0] = amount <= max - now;
          int after = added[0] ? now + amount : now;
          return after == 0 ? null : Integer.valueOf(after);
        });
    return added[0];
  }

  /** Decrements the count of a key. */
  public void remove(String key) {
    remove(key, 1);
  }

  /** Subtracts an amount from the count of a key. */
  public void remove(String key, int amount) {
    counts.computeIfPresent(key, (same, count) -> count <= amount ? null : count - amount);
  }

  public int count(String key) {
    return counts.getOrDefault(key, 0);
  }

  /** Number of keys with a count above 0. */
  public int keys() {
    return counts.size();
  }
}
