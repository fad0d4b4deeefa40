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
    boolean[] added = {false};
    counts.compute(
        key,
        (same, count) -> {
          int now = count == null ? 0 : count;
          added[0] = now < max;
          int after = added[0] ? now + 1 : now;
          return after == 0 ? null : Integer.valueOf(after);
        });
    return added[0];
  }

  /** Decrements the count of a key. */
  public void remove(String key) {
    counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
  }

  public int count(String key) {
    return counts.getOrDefault(key, 0);
  }

  /** Number of keys with a count above 0. */
  public int keys() {
    return counts.size();
  }
}
