package io.sluice.benchmark.merge;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.ArrayList;
import java.util.List;

/** Table of the rows of {@code bench merge}. */
final class MergeTable {
  private static final double BYTES_PER_KIB = 1 << 10;
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final String POLICY = "policy";
  private static final String FEWER_EXTENTS = "fewer extents";
  private static final String FEWER_REQUESTS = "fewer requests";

  private MergeTable() {}

  /**
   * @param rows measurements; the first one is the base of the ratios
   * @param real whether a real disk was measured
   * @param readers number of concurrent readers
   */
  static BenchTable of(List<MergeRow> rows, boolean real, int readers) {
    List<Column> columns =
        new ArrayList<>(
            List.of(
                Column.text(POLICY),
                Column.number("runs", 0),
                Column.number("average extent, KiB", 0),
                Column.number("extents", 0),
                Column.number(FEWER_EXTENTS, 1),
                Column.number("requests", 0),
                Column.number(FEWER_REQUESTS, 1)));
    if (real) {
      columns.add(Column.number("read calls", 0));
      columns.add(Column.number("read s", 2));
      columns.add(Column.number("merge s", 2));
    } else {
      columns.add(Column.number("read s, 1 reader", 0));
      columns.add(Column.number("faster, 1 reader", 1));
      columns.add(Column.number("read s, " + readers + " readers", 0));
      columns.add(Column.number("faster, " + readers + " readers", 1));
      columns.add(Column.number("merge s", 0));
    }
    columns.add(Column.number("written by merging, GiB", 1));
    BenchTable table =
        new BenchTable(
            real ? "merge-files" : "merge",
            real ? "Merging on this disk" : "Merging on an emulated disk",
            columns);
    rows.forEach(row -> table.row(cells(row, rows.get(0), real)));
    return table.chart(
        new Chart(
            "Requests to read everything, compared with unmerged runs",
            "times fewer",
            Chart.Kind.BARS,
            POLICY,
            "",
            List.of(FEWER_EXTENTS, FEWER_REQUESTS)));
  }

  private static Object[] cells(MergeRow row, MergeRow base, boolean real) {
    List<Object> cells = new ArrayList<>();
    cells.add(row.policy());
    cells.add(row.runs());
    cells.add(row.bytes() / BYTES_PER_KIB / row.extents());
    cells.add(row.extents());
    cells.add((double) base.extents() / row.extents());
    cells.add(row.requests());
    cells.add((double) base.requests() / row.requests());
    if (real) {
      cells.add(row.kernelReads());
      cells.add(row.readSeconds());
    } else {
      cells.add(row.readSeconds());
      cells.add(base.readSeconds() / row.readSeconds());
      cells.add(row.crowdSeconds());
      cells.add(base.crowdSeconds() / row.crowdSeconds());
    }
    cells.add(row.mergeSeconds());
    cells.add(row.mergedBytes() / BYTES_PER_GIB);
    return cells.toArray();
  }
}
