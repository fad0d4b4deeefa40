package io.sluice.benchmark.merge;

import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Locale;

/** Renders the rows of {@code bench merge} as a Markdown table. */
final class MergeTable {
  private MergeTable() {}

  /**
   * @param rows measurements; the first one is the base of the ratios
   * @param real whether a real disk was measured
   * @param readers number of concurrent readers
   */
  static String of(List<MergeRow> rows, boolean real, int readers) {
    StringBuilder text = new StringBuilder();
    text.append("| policy | runs | average extent | extents | fewer | requests | fewer |");
    text.append(
        real
            ? " read calls | read | merge |"
            : " read, 1 reader | faster | read, " + readers + " readers | faster | merge |");
    text.append(" written by merging |\n");
    text.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    text.append(real ? "\n" : " ---: | ---: |\n");
    MergeRow base = rows.get(0);
    for (MergeRow row : rows) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %s | %,d | %.1f | %,d | %.1f |",
              row.policy(),
              row.runs(),
              size(row.bytes() / row.extents()),
              row.extents(),
              (double) base.extents() / row.extents(),
              row.requests(),
              (double) base.requests() / row.requests()));
      if (real) {
        text.append(
            String.format(
                Locale.ROOT,
                " %,d | %.2f s | %.2f s |",
                row.kernelReads(),
                row.readSeconds(),
                row.mergeSeconds()));
      } else {
        text.append(
            String.format(
                Locale.ROOT,
                " %,.0f s | %.1f | %,.0f s | %.1f | %,.0f s |",
                row.readSeconds(),
                base.readSeconds() / row.readSeconds(),
                row.crowdSeconds(),
                base.crowdSeconds() / row.crowdSeconds(),
                row.mergeSeconds()));
      }
      text.append(' ').append(size(row.mergedBytes())).append(" |\n");
    }
    return text.toString();
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }
}
