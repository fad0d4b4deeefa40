package io.sluice.common.run;

import java.util.ArrayList;
import java.util.List;

/** Joins consecutive slice marks into marks of about 1 MiB. */
final class MergedMarks {
  private final List<RunMark> marks = new ArrayList<>(1);
  private long start;
  private long length;
  private int minMapIndex = Integer.MAX_VALUE;
  private int maxMapIndex;

  /**
   * @param start logical offset of the first mark
   */
  MergedMarks(long start) {
    this.start = start;
  }

  void add(RunMark mark) {
    if (length > 0 && length + mark.length() > 2L * RunFormat.MARK_BYTES) {
      close();
    }
    length += mark.length();
    minMapIndex = Math.min(minMapIndex, mark.minMapIndex());
    maxMapIndex = Math.max(maxMapIndex, mark.maxMapIndex());
    if (length >= RunFormat.MARK_BYTES) {
      close();
    }
  }

  List<RunMark> finish() {
    if (length > 0) {
      close();
    }
    return marks;
  }

  private void close() {
    marks.add(new RunMark(start, length, minMapIndex, maxMapIndex));
    start += length;
    length = 0;
    minMapIndex = Integer.MAX_VALUE;
    maxMapIndex = 0;
  }
}
