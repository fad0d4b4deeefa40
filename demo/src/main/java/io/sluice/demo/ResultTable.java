package io.sluice.demo;

import io.sluice.demo.staging.AmountText;
import io.sluice.localcluster.ClusterCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Result table of a demo: a row for each query or program, and a row of sums. */
public final class ResultTable {
  /** Alignment of names: left for words, right for numbers. */
  public enum Alignment {
    LEFT,
    RIGHT
  }

  /**
   * Result of one query or program.
   *
   * @param rows count in the unit of the heading
   * @param servers counters of the shuffle servers during the run through Sluice, if known
   */
  public record Row(
      String name,
      long rows,
      Verdict verdict,
      long builtInMs,
      long sluiceMs,
      Optional<ClusterCounters> servers) {

    Row(
        String name,
        long rows,
        Verdict verdict,
        long builtInMs,
        long sluiceMs,
        ClusterCounters servers) {
      this(name, rows, verdict, builtInMs, sluiceMs, Optional.of(servers));
    }

    boolean isSame() {
      return verdict != Verdict.DIFFERENT;
    }

    private List<String> cells(String same) {
      return List.of(
          name,
          Long.toString(rows),
          same,
          AmountText.seconds(builtInMs),
          AmountText.seconds(sluiceMs),
          ratio(builtInMs, sluiceMs),
          counted(ClusterCounters::pushedBytes),
          counted(ClusterCounters::spilledBytes),
          counted(ClusterCounters::fetchedBytes));
    }

    private String counted(Function<ClusterCounters, Long> counter) {
      return servers.map(counter).map(AmountText::bytes).orElse("-");
    }
  }

  private final List<String> headings;
  private final Alignment names;
  private final String shuffle;
  private final List<Row> rows;

  /**
   * @param nameHeading heading of the names
   * @param names alignment of the names
   * @param rowsHeading heading of the counts
   * @param shuffle name of the built-in shuffle, for the sentence below the table
   */
  public ResultTable(
      String nameHeading, Alignment names, String rowsHeading, String shuffle, List<Row> rows) {
    this.headings =
        List.of(
            nameHeading,
            rowsHeading,
            "same?",
            "built-in s",
            "sluice s",
            "ratio",
            "pushed",
            "spilled",
            "read");
    this.names = names;
    this.shuffle = shuffle;
    this.rows = List.copyOf(rows);
  }

  /** Appends headings, rows, sums and an empty line. */
  public void appendTable(StringBuilder text) {
    List<List<String>> all = new ArrayList<>();
    all.add(headings);
    rows.forEach(row -> all.add(row.cells(row.verdict().label())));
    all.add(sum().cells(sameCount() + " of " + rows.size()));

    int[] widths = widths(all);
    appendRow(text, all.get(0), widths);
    appendRule(text, widths);
    all.subList(1, all.size() - 1).forEach(row -> appendRow(text, row, widths));
    appendRule(text, widths);
    appendRow(text, all.get(all.size() - 1), widths);
    text.append('\n');
  }

  /** Appends the sentence below the table. */
  public void appendVerdict(StringBuilder text) {
    Row sum = sum();
    text.append(sameCount())
        .append(" of ")
        .append(rows.size())
        .append(" the same; through Sluice ")
        .append(AmountText.seconds(sum.sluiceMs()))
        .append(" s, with ")
        .append(shuffle)
        .append(' ')
        .append(AmountText.seconds(sum.builtInMs()))
        .append(" s: ")
        .append(ratio(sum.builtInMs(), sum.sluiceMs()))
        .append(" times\n");
  }

  private Row sum() {
    return new Row(
        "all",
        rows.stream().mapToLong(Row::rows).sum(),
        Verdict.SAME,
        rows.stream().mapToLong(Row::builtInMs).sum(),
        rows.stream().mapToLong(Row::sluiceMs).sum(),
        rows.stream()
            .map(Row::servers)
            .reduce((one, other) -> one.flatMap(sum -> other.map(sum::plus)))
            .orElse(Optional.of(ClusterCounters.ZERO)));
  }

  private long sameCount() {
    return rows.stream().filter(Row::isSame).count();
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private void appendRow(StringBuilder text, List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      if (i > 0) {
        text.append("  ");
      }
      String padding = " ".repeat(widths[i] - row.get(i).length());
      boolean left = headings.get(i).equals("same?") || (i == 0 && names == Alignment.LEFT);
      text.append(left ? row.get(i) + padding : padding + row.get(i));
    }
    text.append('\n');
  }

  private static void appendRule(StringBuilder text, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      text.append(i > 0 ? "  " : "").append("-".repeat(widths[i]));
    }
    text.append('\n');
  }

  private static String ratio(long builtInMs, long sluiceMs) {
    return builtInMs == 0 ? "-" : String.format(Locale.ROOT, "%.2f", (double) sluiceMs / builtInMs);
  }
}
