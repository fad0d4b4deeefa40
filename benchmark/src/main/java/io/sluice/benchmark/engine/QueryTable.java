package io.sluice.benchmark.engine;

import io.sluice.benchmark.engine.QueryRound.Turn;
import io.sluice.demo.Comparison;
import io.sluice.demo.staging.AmountText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Results of {@link QueryBench}: totals of all queries with the ratio of pairs and its upper bound,
 * the slow queries, and medians for each query.
 */
final class QueryTable implements Comparison.Outcome {
  /** A query is slow above this ratio of times and above this difference. */
  private static final double SLOW_RATIO = 1.25;

  private static final double SLOW_SECONDS = 0.3;

  private final List<QueryRound> rounds;
  private final String baseline;
  private final List<Query> queries;

  /** Medians of one query over its rounds, in seconds, and bytes of its last round. */
  private record Query(
      String name,
      double baselineSeconds,
      double seconds,
      double baselineCpu,
      double cpu,
      QueryRound last) {
    static Query of(String name, List<QueryRound> rounds) {
      return new Query(
          name,
          median(rounds, round -> round.baseline().seconds()),
          median(rounds, round -> round.sluice().seconds()),
          median(rounds, round -> round.baseline().cpuSeconds()),
          median(rounds, round -> round.sluice().cpuSeconds()),
          rounds.get(rounds.size() - 1));
    }

    private static double median(List<QueryRound> rounds, ToDoubleFunction<QueryRound> value) {
      return Medians.of(rounds, value);
    }

    double ratio() {
      return seconds / Math.max(0.001, baselineSeconds);
    }

    double difference() {
      return seconds - baselineSeconds;
    }

    boolean isSlow() {
      return ratio() > SLOW_RATIO && difference() > SLOW_SECONDS;
    }
  }

  /**
   * @param rounds at least one
   * @param baseline name of the baseline in headings
   */
  QueryTable(List<QueryRound> rounds, String baseline) {
    this.rounds = List.copyOf(rounds);
    this.baseline = baseline;
    Map<String, List<QueryRound>> byQuery = new LinkedHashMap<>();
    rounds.forEach(
        round -> byQuery.computeIfAbsent(round.query(), query -> new ArrayList<>()).add(round));
    this.queries =
        byQuery.entrySet().stream().map(one -> Query.of(one.getKey(), one.getValue())).toList();
  }

  /** True if both sides returned the same rows in all rounds. */
  @Override
  public boolean isGood() {
    return rounds.stream().allMatch(QueryRound::isSame);
  }

  /** Renders the tables as Markdown. */
  @Override
  public String render() {
    StringBuilder text = new StringBuilder();
    line(text, "| all queries | %s | Sluice | ratio | upper bound (95 %%) |", baseline);
    line(text, "| --- | ---: | ---: | ---: | ---: |");
    total(text, "seconds", Turn::seconds);
    total(text, "CPU seconds", Turn::cpuSeconds);
    total(text, "of executors", turn -> turn.cpu().executorsMs() / 1000.0);
    total(text, "of the driver", turn -> turn.cpu().driverMs() / 1000.0);
    line(
        text,
        "| of coordinator and servers | %.1f | %.1f | | |",
        average(sums(round -> round.baseline().cpu().serversMs() / 1000.0)),
        average(sums(round -> round.sluice().cpu().serversMs() / 1000.0)));
    line(
        text,
        "| shuffle bytes in Spark's metrics | %s | %s | | |",
        bytes(last -> last.baseline().result().shuffleWrittenBytes()),
        bytes(last -> last.sluice().result().shuffleWrittenBytes()));
    line(
        text,
        "| pushed | %s | %s | | |",
        bytes(last -> last.baseline().pushedBytes()),
        bytes(last -> last.sluice().pushedBytes()));
    line(
        text,
        "| fetched from servers | %s | %s | | |",
        bytes(last -> last.baseline().fetchedBytes()),
        bytes(last -> last.sluice().fetchedBytes()));
    line(
        text,
        "%nMedian ratio of a query: %.2f in time, %.2f in CPU. Slow queries (above %.2f times by"
            + " more than %.1f s): %s.%n",
        Medians.of(queries, Query::ratio),
        Medians.of(queries, query -> query.cpu / Math.max(0.001, query.baselineCpu)),
        SLOW_RATIO,
        SLOW_SECONDS,
        slow());
    line(
        text,
        "| query | %s s | Sluice s | ratio | difference s | %s CPU s | Sluice CPU s | pushed |",
        baseline,
        baseline);
    line(text, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    queries.stream()
        .sorted(Comparator.comparingDouble(Query::difference).reversed())
        .forEach(query -> row(text, query));
    rounds.stream()
        .filter(round -> !round.isSame())
        .map(QueryRound::query)
        .distinct()
        .forEach(query -> line(text, "query %s: rows differ", query));
    return text.toString();
  }

  private void total(StringBuilder text, String name, ToDoubleFunction<Turn> value) {
    double[] base = sums(round -> value.applyAsDouble(round.baseline()));
    double[] sluice = sums(round -> value.applyAsDouble(round.sluice()));
    PairedRatio ratio = PairedRatio.of(sluice, base);
    line(
        text,
        "| %s | %.1f | %.1f | **%.3f** | %s |",
        name,
        average(base),
        average(sluice),
        ratio.mean(),
        ratio.pairs() < 2
            ? "one pair"
            : String.format(Locale.ROOT, "%.3f of %d pairs", ratio.upperBound(), ratio.pairs()));
  }

  /** Sums of all queries of each pass, in the order of passes. */
  private double[] sums(ToDoubleFunction<QueryRound> value) {
    Map<Integer, Double> sums = new TreeMap<>();
    rounds.forEach(round -> sums.merge(round.pass(), value.applyAsDouble(round), Double::sum));
    return sums.values().stream().mapToDouble(sum -> Math.max(0.001, sum)).toArray();
  }

  private static double average(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  private String bytes(ToDoubleFunction<QueryRound> value) {
    return AmountText.bytes(
        (long) queries.stream().mapToDouble(query -> value.applyAsDouble(query.last)).sum());
  }

  private String slow() {
    String names =
        String.join(", ", queries.stream().filter(Query::isSlow).map(Query::name).toList());
    return names.isEmpty() ? "none" : names;
  }

  private static void row(StringBuilder text, Query query) {
    line(
        text,
        "| %s | %.2f | %.2f | %.2f | %+.2f | %.2f | %.2f | %s |",
        query.name,
        query.baselineSeconds,
        query.seconds,
        query.ratio(),
        query.difference(),
        query.baselineCpu,
        query.cpu,
        AmountText.bytes(query.last.sluice().pushedBytes()));
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
  }
}
