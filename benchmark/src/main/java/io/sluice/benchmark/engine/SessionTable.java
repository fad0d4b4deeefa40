package io.sluice.benchmark.engine;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.demo.driver.DriverMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results of {@link SessionBench}: peaks of stored and needed bytes, and their course by query. */
final class SessionTable implements TabledOutcome {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double MS_PER_SECOND = 1000;
  private static final double PERCENT = 100;

  private final Session without;
  private final Session early;
  private final BenchTable peaks =
      new BenchTable(
          "session",
          "Stored and needed bytes of a session",
          Column.text("deletion"),
          Column.number("peak stored, MiB", 1),
          Column.number("peak needed, MiB", 1),
          Column.number("ratio of peaks", 2),
          Column.number("needed at the stored peak, MiB", 1),
          Column.number("pushed, MiB", 0),
          Column.number("repeated map tasks", 0),
          Column.number("seconds", 0));

  /** A run of a query; times are milliseconds since 1970. */
  record QueryRun(DriverMessage.Result result, long begin, long end) {}

  /**
   * An application that ran all queries.
   *
   * @param stored bytes that servers store
   */
  record Session(List<QueryRun> runs, StepCurve stored, NeededBytes needed) {
    Session {
      runs = List.copyOf(runs);
    }

    /** Bytes at the highest point of a curve from the begin of a query to that of the next one. */
    private double mebibytes(StepCurve curve, int query) {
      long end = query + 1 < runs.size() ? runs.get(query + 1).begin : runs.get(query).end;
      return curve.highest(runs.get(query).begin, end) / BYTES_PER_MIB;
    }
  }

  /** Both sessions ran the same queries, at least one. */
  SessionTable(Session without, Session early) {
    this.without = without;
    this.early = early;
    addRow("as in Spark", without);
    addRow("early", early);
  }

  private void addRow(String name, Session session) {
    long stored = session.stored.peak();
    long needed = session.needed.bytes().peak();
    peaks.row(
        name,
        stored / BYTES_PER_MIB,
        needed / BYTES_PER_MIB,
        needed == 0 ? null : (Double) ((double) stored / needed),
        session.needed.bytes().at(session.stored.peakTime()) / BYTES_PER_MIB,
        session.needed.writtenBytes() / BYTES_PER_MIB,
        session.needed.repeatedMaps(),
        session.runs.stream().mapToLong(run -> run.end - run.begin).sum() / MS_PER_SECOND);
  }

  private BenchTable course() {
    List<String> curves =
        List.of("stored, as in Spark, MiB", "stored, early, MiB", "needed, early, MiB");
    List<Column> columns = new ArrayList<>();
    columns.add(Column.text("query"));
    curves.forEach(curve -> columns.add(Column.number(curve, 1)));
    BenchTable table = new BenchTable("session-course", "Highest bytes by query", columns);
    for (int i = 0; i < early.runs.size(); i++) {
      table.row(
          early.runs.get(i).result.query(),
          without.mebibytes(without.stored, i),
          early.mebibytes(early.stored, i),
          early.mebibytes(early.needed.bytes(), i));
    }
    return table.chart(
        new Chart("Highest bytes by query", "MiB", Chart.Kind.LINES, "query", "", curves));
  }

  private List<String> different() {
    List<String> different = new ArrayList<>();
    for (int i = 0; i < early.runs.size(); i++) {
      DriverMessage.Result result = early.runs.get(i).result;
      if (!result.digest().equals(without.runs.get(i).result.digest())) {
        different.add(result.query());
      }
    }
    return different;
  }

  /** True if both sessions returned the same rows, and shuffles were stored. */
  @Override
  public boolean isGood() {
    return different().isEmpty() && without.stored.peak() > 0 && early.stored.peak() > 0;
  }

  @Override
  public List<BenchTable> tables() {
    return List.of(peaks, course());
  }

  @Override
  public List<String> notes() {
    return List.of(
        String.format(
            Locale.ROOT,
            "%d queries, %d with other rows. Early deletion stores %.0f %% less at the peak.",
            early.runs.size(),
            different().size(),
            PERCENT * (1 - early.stored.peak() / Math.max(1.0, (double) without.stored.peak()))));
  }

  @Override
  public String remarks() {
    StringBuilder text = new StringBuilder();
    notes().forEach(note -> text.append(note).append('\n'));
    different().forEach(query -> text.append("query ").append(query).append(": rows differ\n"));
    return text.toString();
  }

  /** The peaks and the remarks; the course is for charts. */
  @Override
  public String render() {
    return peaks.toMarkdown() + "\n" + remarks();
  }
}
