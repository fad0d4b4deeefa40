package io.sluice.demo;

import io.sluice.demo.cluster.ServerCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table at the end of the demo, and the sentences below it. */
final class DemoTable implements Comparison.Outcome {
  private static final List<String> HEADINGS =
      List.of("query", "rows", "same?", "own s", "sluice s", "ratio", "pushed", "spilled", "read");

  /** Columns of words stand left, columns of numbers right. */
  private static final int SAME_COLUMN = 2;

  private static final long KIB = 1024;

  private final List<QueryComparison> queries;

  DemoTable(List<QueryComparison> queries) {
    this.queries = List.copyOf(queries);
  }

  /** Whether every query gave the same rows on both sides, by way of the servers. */
  @Override
  public boolean isGood() {
    return queries.stream().allMatch(query -> query.verdict() == QueryComparison.Verdict.SAME);
  }

  @Override
  public String render() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADINGS);
    long ownMs = 0;
    long sluiceMs = 0;
    long resultRows = 0;
    ServerCounters servers = ServerCounters.ZERO;
    for (QueryComparison query : queries) {
      rows.add(
          row(
              Integer.toString(query.query()),
              query.own().rows(),
              query.verdict().word(),
              query.own().elapsedMs(),
              query.sluice().elapsedMs(),
              query.servers()));
      ownMs += query.own().elapsedMs();
      sluiceMs += query.sluice().elapsedMs();
      resultRows += query.own().rows();
      servers = servers.plus(query.servers());
    }
    rows.add(
        row("all", resultRows, sameCount() + " of " + queries.size(), ownMs, sluiceMs, servers));

    StringBuilder text = new StringBuilder();
    int[] widths = widths(rows);
    appendRow(text, rows.get(0), widths);
    appendRule(text, widths);
    rows.subList(1, rows.size() - 1).forEach(row -> appendRow(text, row, widths));
    appendRule(text, widths);
    appendRow(text, rows.get(rows.size() - 1), widths);
    text.append('\n');
    appendDifferences(text);
    appendVerdict(text, ownMs, sluiceMs);
    return text.toString();
  }

  private long sameCount() {
    return queries.stream().filter(QueryComparison::isSame).count();
  }

  private static List<String> row(
      String query, long rows, String same, long ownMs, long sluiceMs, ServerCounters servers) {
    return List.of(
        query,
        Long.toString(rows),
        same,
        seconds(ownMs),
        seconds(sluiceMs),
        ratio(ownMs, sluiceMs),
        bytes(servers.pushedBytes()),
        bytes(servers.spilledBytes()),
        bytes(servers.fetchedBytes()));
  }

  private void appendDifferences(StringBuilder text) {
    List<String> around = new ArrayList<>();
    for (QueryComparison query : queries) {
      RowDifference difference = query.difference();
      switch (query.verdict()) {
        case SAME -> {}
        case AROUND -> around.add(Integer.toString(query.query()));
        case DIFFERENT -> {
          text.append("query ")
              .append(query.query())
              .append(": ")
              .append(difference.onlyOwnCount())
              .append(" rows only with Spark's own shuffle, ")
              .append(difference.onlySluiceCount())
              .append(" only through Sluice\n");
          difference
              .firstOnlyOwn()
              .ifPresent(row -> text.append("  own:    ").append(row).append('\n'));
          difference
              .firstOnlySluice()
              .ifPresent(row -> text.append("  sluice: ").append(row).append('\n'));
        }
      }
    }
    if (!around.isEmpty()) {
      text.append("shuffled, but the servers received nothing: query ")
          .append(String.join(", ", around))
          .append('\n');
    }
  }

  private void appendVerdict(StringBuilder text, long ownMs, long sluiceMs) {
    text.append(sameCount())
        .append(" of ")
        .append(queries.size())
        .append(" the same; through Sluice ")
        .append(seconds(sluiceMs))
        .append(" s, with Spark's own shuffle ")
        .append(seconds(ownMs))
        .append(" s: ")
        .append(ratio(ownMs, sluiceMs))
        .append(" times\n");
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static void appendRow(StringBuilder text, List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      if (i > 0) {
        text.append("  ");
      }
      String padding = " ".repeat(widths[i] - row.get(i).length());
      text.append(i == SAME_COLUMN ? row.get(i) + padding : padding + row.get(i));
    }
    text.append('\n');
  }

  private static void appendRule(StringBuilder text, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      text.append(i > 0 ? "  " : "").append("-".repeat(widths[i]));
    }
    text.append('\n');
  }

  static String seconds(long elapsedMs) {
    return String.format(Locale.ROOT, "%.1f", elapsedMs / 1000.0);
  }

  private static String ratio(long ownMs, long sluiceMs) {
    return ownMs == 0 ? "-" : String.format(Locale.ROOT, "%.2f", (double) sluiceMs / ownMs);
  }

  /** Bytes in the unit that leaves one to four digits before the point. */
  static String bytes(long count) {
    if (count < KIB) {
      return count + " B";
    }
    double value = count;
    String unit = "B";
    for (String next : List.of("KiB", "MiB", "GiB", "TiB")) {
      if (value < KIB) {
        break;
      }
      value /= KIB;
      unit = next;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, unit);
  }
}
