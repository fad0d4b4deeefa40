package io.sluice.demo;

import java.util.ArrayList;
import java.util.List;

/** Result table of the demo with Spark, with the sentences below it. */
final class DemoTable implements Comparison.Outcome {
  private final String builtIn;
  private final List<QueryComparison> queries;

  /**
   * @param builtIn the shuffle that Sluice is compared with, such as {@code Spark's built-in
   *     shuffle}
   */
  DemoTable(String builtIn, List<QueryComparison> queries) {
    this.builtIn = builtIn;
    this.queries = List.copyOf(queries);
  }

  /**
   * True if every query returned the same rows on both sides, and its data went through the
   * servers.
   */
  @Override
  public boolean isGood() {
    return queries.stream().allMatch(query -> query.verdict() == Verdict.SAME);
  }

  @Override
  public String render() {
    ResultTable table =
        new ResultTable(
            "query",
            ResultTable.Alignment.RIGHT,
            "rows",
            builtIn,
            queries.stream().map(DemoTable::row).toList());
    StringBuilder text = new StringBuilder();
    table.appendTable(text);
    appendDifferences(text);
    table.appendVerdict(text);
    return text.toString();
  }

  private static ResultTable.Row row(QueryComparison query) {
    return new ResultTable.Row(
        query.query(),
        query.builtIn().rows(),
        query.verdict(),
        query.builtIn().elapsedMs(),
        query.sluice().elapsedMs(),
        query.servers());
  }

  private void appendDifferences(StringBuilder text) {
    List<String> bypassed = new ArrayList<>();
    for (QueryComparison query : queries) {
      RowDifference difference = query.difference();
      switch (query.verdict()) {
        case SAME -> {}
        case BYPASSED -> bypassed.add(query.query());
        case DIFFERENT -> {
          text.append("query ")
              .append(query.query())
              .append(": ")
              .append(difference.onlyBuiltInCount())
              .append(" rows only with ")
              .append(builtIn)
              .append(", ")
              .append(difference.onlySluiceCount())
              .append(" only through Sluice\n");
          difference
              .firstOnlyBuiltIn()
              .ifPresent(row -> text.append("  built-in: ").append(row).append('\n'));
          difference
              .firstOnlySluice()
              .ifPresent(row -> text.append("  sluice:   ").append(row).append('\n'));
        }
      }
    }
    if (!bypassed.isEmpty()) {
      text.append("shuffled, but the servers received no data: query ")
          .append(String.join(", ", bypassed))
          .append('\n');
    }
  }
}
