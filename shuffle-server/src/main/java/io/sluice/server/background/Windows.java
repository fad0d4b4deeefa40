package io.sluice.server.background;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Cuts a stretch into windows from its beginning to its end. */
final class Windows {
  private Windows() {}

  /**
   * @param count runs of the stretch
   * @param end for where a window may begin, the index behind its last run; the same if none begins
   *     there
   */
  static List<MergeWindow> cut(int count, IntUnaryOperator end) {
    List<MergeWindow> windows = new ArrayList<>();
    for (int from = 0; from < count; ) {
      int to = end.applyAsInt(from);
      if (to > from) {
        windows.add(new MergeWindow(from, to));
        from = to;
      } else {
        from++;
      }
    }
    return windows;
  }
}
