package io.sluice.demo;

import java.util.ArrayList;
import java.util.List;

/** The table at the end of the demo with Spark, and the sentences below it. */
final class DemoTable implements Comparison.Outcome {
  private final List<QueryComparison> queries;

  DemoTable(List<QueryComparison> queries) {
    this.queries = List.copyOf(queries);
  }

  /** Whether every query gave the same rows on both sides, by way of the servers. */
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
            "Spark's own shuffle",
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
        query.own().rows(),
        query.verdict(),
        query.own().elapsedMs(),
        query.sluice().elapsedMs(),
        query.servers());
  }

  private void appendDifferences(StringBuilder text) {
    List<String> around = new ArrayList<>();
    for (QueryComparison query : queries) {
      RowDifference difference = query.difference();
      switch (query.verdict()) {
        case SAME -> {}
        case AROUND -> around.add(query.query());
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
}
