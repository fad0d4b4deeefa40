package io.sluice.server.disk;

/** Counts the errors of the last while, up to a number of interest. Not thread-safe. */
final class ErrorWindow {
  private final long[] atNanos;
  private final long windowNanos;
  private int count;
  private int next;

  /**
   * @param most a count beyond this is of no interest
   */
  ErrorWindow(int most, long windowNanos) {
    this.atNanos = new long[most];
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
