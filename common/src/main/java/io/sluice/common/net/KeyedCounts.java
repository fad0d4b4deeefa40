package io.sluice.common.net;

import java.util.concurrent.ConcurrentHashMap;

/** How often each key is there; keys that are not there take no memory. Thread-safe. */
public final class KeyedCounts {
  private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

  /**
   * Counts one more.
   *
   * @return false if the key is there {@code max} times already
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

  /** Counts one less. */
  public void remove(String key) {
    counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
  }

  public int count(String key) {
    return counts.getOrDefault(key, 0);
  }

  /** Keys that are there. */
  public int keys() {
    return counts.size();
  }
}
