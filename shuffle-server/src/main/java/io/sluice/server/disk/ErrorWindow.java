package io.sluice.server.disk;

/** Counts the errors within a time window, up to a maximum. Not thread-safe. */
final class ErrorWindow {
  private final long[] atNanos;
  private final long windowNanos;
  private int count;
  private int next;

  /**
   * @param max maximum count
   */
  ErrorWindow(int max, long windowNanos) {
    this.atNanos = new long[max];
    this.windowNanos = windowNanos;
  }

  void add(long nowNanos) {
    atNanos[next] = nowNanos;
    next = (next + 1) % atNanos.length;
    count = Math.min(count + 1, atNanos.length);
  }

  int count(long nowNanos) {
    int recent = 0;
    for (int i = 0; i < count; i++) {
      if (nowNanos - atNanos[i] < windowNanos) {
        recent++;
      }
    }
    return recent;
  }

  void clear() {
    count = 0;
    next = 0;
  }
}
