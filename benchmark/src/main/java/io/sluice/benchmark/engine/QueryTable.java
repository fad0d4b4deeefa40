package io.sluice.benchmark.engine;

import io.sluice.benchmark.engine.QueryRound.Turn;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
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
final class QueryTable implements TabledOutcome {
  /** A query is slow above this ratio of times and above this difference. */
  private static final double SLOW_RATIO = 1.25;

  private static final double SLOW_SECONDS = 0.3;
  private static final double BYTES_PER_MIB = 1 << 20;

  private final List<QueryRound> rounds;
  private final String baseline;
  private final String candidate;
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
          median(rounds, round -> round.candidate().seconds()),
          median(rounds, round -> round.baseline().cpuSeconds()),
          median(rounds, round -> round.candidate().cpuSeconds()),
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
   * @param candidate name of the other side in headings
   */
  QueryTable(List<QueryRound> rounds, String baseline, String candidate) {
    this.rounds = List.copyOf(rounds);
    this.baseline = baseline;
    this.candidate = candidate;
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

  @Override
  public List<BenchTable> tables() {
    BenchTable totals =
        new BenchTable(
            "queries",
            "All queries, " + baseline + " against " + candidate,
            Column.text("all queries"),
            Column.number(baseline, 1),
            Column.number(candidate, 1),
            Column.number("ratio", 3),
            Column.number("upper bound (95 %)", 3),
            Column.number("pairs", 0));
    total(totals, "seconds", Turn::seconds);
    total(totals, "CPU seconds", Turn::cpuSeconds);
    total(totals, "of executors", turn -> turn.cpu().executorsMs() / 1000.0);
    total(totals, "of the driver", turn -> turn.cpu().driverMs() / 1000.0);
    totals.row(
        "of coordinator and servers",
        average(sums(round -> round.baseline().cpu().serversMs() / 1000.0)),
        average(sums(round -> round.candidate().cpu().serversMs() / 1000.0)),
        null,
        null,
        null);
    bytes(totals, "shuffle MiB in Spark's metrics", turn -> turn.result().shuffleWrittenBytes());
    bytes(totals, "pushed, MiB", Turn::pushedBytes);
    bytes(totals, "fetched from servers, MiB", Turn::fetchedBytes);
    return List.of(totals, single());
  }

  private BenchTable single() {
    BenchTable table =
        new BenchTable(
            "single-queries",
            "Single queries",
            Column.text("query"),
            Column.number(baseline + " s", 2),
            Column.number(candidate + " s", 2),
            Column.number("ratio", 2),
            Column.number("difference s", 2),
            Column.number(baseline + " CPU s", 2),
            Column.number(candidate + " CPU s", 2),
            Column.number("pushed, MiB", 1));
    queries.stream()
        .sorted(Comparator.comparingDouble(Query::difference).reversed())
        .forEach(
            query ->
                table.row(
                    query.name,
                    query.baselineSeconds,
                    query.seconds,
                    query.ratio(),
                    query.difference(),
                    query.baselineCpu,
                    query.cpu,
                    query.last.candidate().pushedBytes() / BYTES_PER_MIB));
    return table;
  }

  @Override
  public String remarks() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%nMedian ratio of a query: %.2f in time, %.2f in CPU. Slow queries (above %.2f times"
                + " by more than %.1f s): %s.%n",
            Medians.of(queries, Query::ratio),
            Medians.of(queries, query -> query.cpu / Math.max(0.001, query.baselineCpu)),
            SLOW_RATIO,
            SLOW_SECONDS,
            slow()));
    rounds.stream()
        .filter(round -> !round.isSame())
        .map(QueryRound::query)
        .distinct()
        .forEach(
            query ->
                text.append("query ")
                    .append(query)
                    .append(": rows differ")
                    .append(System.lineSeparator()));
    return text.toString();
  }

  private void total(BenchTable table, String name, ToDoubleFunction<Turn> value) {
    double[] base = sums(round -> value.applyAsDouble(round.baseline()));
    double[] other = sums(round -> value.applyAsDouble(round.candidate()));
    PairedRatio ratio = PairedRatio.of(other, base);
    table.row(
        name,
        average(base),
        average(other),
        ratio.mean(),
        ratio.pairs() < 2 ? null : (Double) ratio.upperBound(),
        ratio.pairs());
  }

  /** Bytes of the last round of each query. */
  private void bytes(BenchTable table, String name, ToDoubleFunction<Turn> value) {
    table.row(
        name,
        mebibytes(query -> value.applyAsDouble(query.last.baseline())),
        mebibytes(query -> value.applyAsDouble(query.last.candidate())),
        null,
        null,
        null);
  }

  private double mebibytes(ToDoubleFunction<Query> value) {
    return queries.stream().mapToDouble(value).sum() / BYTES_PER_MIB;
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

  private String slow() {
    String names =
        String.join(", ", queries.stream().filter(Query::isSlow).map(Query::name).toList());
    return names.isEmpty() ? "none" : names;
  }
}
