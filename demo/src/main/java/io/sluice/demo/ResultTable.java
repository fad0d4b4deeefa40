package io.sluice.demo;

import io.sluice.demo.staging.AmountText;
import io.sluice.localcluster.ClusterCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The table at the end of a demo: a row for each thing that ran on both sides, and their sums. */
public final class ResultTable {
  /** Words stand left, numbers right. */
  public enum Alignment {
    LEFT,
    RIGHT
  }

  /**
   * What ran.
   *
   * @param rows how much it gave or took, in what the heading says
   * @param servers what the shuffle servers counted while it ran through Sluice, if that is known
   */
  public record Row(
      String name,
      long rows,
      Verdict verdict,
      long ownMs,
      long sluiceMs,
      Optional<ClusterCounters> servers) {

    Row(
        String name,
        long rows,
        Verdict verdict,
        long ownMs,
        long sluiceMs,
        ClusterCounters servers) {
      this(name, rows, verdict, ownMs, sluiceMs, Optional.of(servers));
    }

    boolean isSame() {
      return verdict != Verdict.DIFFERENT;
    }

    private List<String> cells(String same) {
      return List.of(
          name,
          Long.toString(rows),
          same,
          AmountText.seconds(ownMs),
          AmountText.seconds(sluiceMs),
          ratio(ownMs, sluiceMs),
          counted(ClusterCounters::pushedBytes),
          counted(ClusterCounters::spilledBytes),
          counted(ClusterCounters::fetchedBytes));
    }

    private String counted(Function<ClusterCounters, Long> what) {
      return servers.map(what).map(AmountText::bytes).orElse("-");
    }
  }

  private final List<String> headings;
  private final Alignment names;
  private final String shuffle;
  private final List<Row> rows;

  /**
   * @param nameHeading what runs, in one word
   * @param names how names of what runs are aligned
   * @param rowsHeading what is counted of each
   * @param shuffle what Sluice is compared with, for the sentence below
   */
  public ResultTable(
      String nameHeading, Alignment names, String rowsHeading, String shuffle, List<Row> rows) {
    this.headings =
        List.of(
            nameHeading,
            rowsHeading,
            "same?",
            "own s",
            "sluice s",
            "ratio",
            "pushed",
            "spilled",
            "read");
    this.names = names;
    this.shuffle = shuffle;
    this.rows = List.copyOf(rows);
  }

  /** Headings, rows and sums, and an empty line. */
  public void appendTable(StringBuilder text) {
    List<List<String>> all = new ArrayList<>();
    all.add(headings);
    rows.forEach(row -> all.add(row.cells(row.verdict().word())));
    all.add(sum().cells(sameCount() + " of " + rows.size()));

    int[] widths = widths(all);
    appendRow(text, all.get(0), widths);
    appendRule(text, widths);
    all.subList(1, all.size() - 1).forEach(row -> appendRow(text, row, widths));
    appendRule(text, widths);
    appendRow(text, all.get(all.size() - 1), widths);
    text.append('\n');
  }

  /** The sentence below the table. */
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
        .append(AmountText.seconds(sum.ownMs()))
        .append(" s: ")
        .append(ratio(sum.ownMs(), sum.sluiceMs()))
        .append(" times\n");
  }

  private Row sum() {
    return new Row(
        "all",
        rows.stream().mapToLong(Row::rows).sum(),
        Verdict.SAME,
        rows.stream().mapToLong(Row::ownMs).sum(),
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

  private static String ratio(long ownMs, long sluiceMs) {
    return ownMs == 0 ? "-" : String.format(Locale.ROOT, "%.2f", (double) sluiceMs / ownMs);
  }
}
