package io.sluice.server.background;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Splits a sequence of runs into windows, from start to end. */
final class Windows {
  private Windows() {}

  /**
   * @param count number of runs in the sequence
   * @param end maps the start index of a window to the index after its last run; the same index if
   *     no window starts there
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
