package io.sluice.benchmark.engine;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Results of a benchmark: a row for each job, codec and number of partitions, with medians over its
 * rounds. Ratios are medians of the ratios of the rounds, because the two runs of a round are
 * seconds apart.
 */
final class JobTable implements TabledOutcome {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double MILLIS_PER_SECOND = 1000;

  private final Map<Key, List<JobRound>> rounds = new LinkedHashMap<>();

  private record Key(String codec, int partitions, String job) {
    static Key of(JobRound round) {
      return new Key(round.codec(), round.builtIn().partitions(), round.builtIn().job());
    }
  }

  JobTable(List<JobRound> all) {
    all.stream()
        .sorted(
            Comparator.comparing(JobRound::codec)
                .thenComparingInt(one -> one.builtIn().partitions()))
        .forEach(one -> rounds.computeIfAbsent(Key.of(one), key -> new ArrayList<>()).add(one));
  }

  /** True if both sides read the same rows in all rounds. */
  @Override
  public boolean isGood() {
    return rounds.values().stream().flatMap(List::stream).allMatch(JobRound::isSame);
  }

  @Override
  public List<BenchTable> tables() {
    BenchTable table =
        new BenchTable(
            "spark",
            "Spark jobs, built-in shuffle against Sluice",
            Column.text("job"),
            Column.text("codec"),
            Column.number("partitions", 0),
            Column.number("built-in CPU s", 2),
            Column.number("of executors", 2),
            Column.number("of the driver", 2),
            Column.number("Sluice CPU s", 2),
            Column.number("of its executors", 2),
            Column.number("of its driver", 2),
            Column.number("of servers", 2),
            Column.number("CPU ratio", 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("built-in s", 2),
            Column.number("Sluice s", 2),
            Column.number("time ratio", 2),
            Column.number("built-in wrote, MiB", 1),
            Column.number("Sluice wrote, MiB", 1));
    rounds.forEach((key, all) -> row(table, key, all));
    table.chart(
        new Chart(
            "CPU of all processes",
            "seconds",
            Chart.Kind.BARS,
            "job",
            "",
            List.of("built-in CPU s", "Sluice CPU s")));
    return List.of(table, sides());
  }

  /** A row for each side, with CPU, time, bytes and memory. */
  private BenchTable sides() {
    BenchTable table =
        new BenchTable(
            "spark-sides",
            "Spark jobs by shuffle",
            Column.text("job"),
            Column.text("codec"),
            Column.number("partitions", 0),
            Column.text("shuffle"),
            Column.number("CPU s", 2),
            Column.number("of executors", 2),
            Column.number("of the driver", 2),
            Column.number("of servers", 2),
            Column.number("CPU, times built-in", 2),
            Column.number("s", 2),
            Column.number("time, times built-in", 2),
            Column.number("wrote, MiB", 1),
            Column.number("read, MiB", 1),
            Column.number("executors resident, MiB", 0),
            Column.number("servers resident, MiB", 0));
    rounds.forEach(
        (key, all) -> {
          for (int side = 0; side < all.get(0).sides().size(); side++) {
            row(table, key, all, side);
          }
        });
    return table.chart(
        new Chart(
            "CPU by shuffle", "seconds", Chart.Kind.BARS, "job", "shuffle", List.of("CPU s")));
  }

  private static void row(BenchTable table, Key key, List<JobRound> all, int side) {
    List<SideRun> runs = all.stream().map(round -> round.sides().get(side)).toList();
    table.row(
        key.job,
        key.codec,
        key.partitions,
        runs.get(0).side(),
        Medians.of(runs, run -> run.cpu().totalMs() / MILLIS_PER_SECOND),
        Medians.of(runs, run -> run.cpu().executorsMs() / MILLIS_PER_SECOND),
        Medians.of(runs, run -> run.cpu().driverMs() / MILLIS_PER_SECOND),
        Medians.of(runs, run -> run.cpu().serversMs() / MILLIS_PER_SECOND),
        Medians.of(
            all,
            round ->
                (double) round.sides().get(side).cpu().totalMs()
                    / Math.max(1, round.builtInCpu().totalMs())),
        Medians.of(runs, run -> run.done().elapsedMs() / MILLIS_PER_SECOND),
        Medians.of(
            all,
            round ->
                (double) round.sides().get(side).done().elapsedMs()
                    / Math.max(1, round.builtIn().elapsedMs())),
        Medians.of(runs, run -> run.done().shuffleWrittenBytes() / BYTES_PER_MIB),
        Medians.of(runs, run -> run.done().shuffleReadBytes() / BYTES_PER_MIB),
        highest(runs, run -> run.residentBytes().executors()) / BYTES_PER_MIB,
        highest(runs, run -> run.residentBytes().servers()) / BYTES_PER_MIB);
  }

  private static double highest(List<SideRun> runs, ToLongFunction<SideRun> bytes) {
    return runs.stream().mapToLong(bytes).max().orElseThrow();
  }

  private static void row(BenchTable table, Key key, List<JobRound> all) {
    List<Double> ratios =
        Medians.sorted(
            all,
            one -> (double) one.sluiceCpu().totalMs() / Math.max(1, one.builtInCpu().totalMs()));
    table.row(
        key.job,
        key.codec,
        key.partitions,
        seconds(all, one -> one.builtInCpu().totalMs()),
        seconds(all, one -> one.builtInCpu().executorsMs()),
        seconds(all, one -> one.builtInCpu().driverMs()),
        seconds(all, one -> one.sluiceCpu().totalMs()),
        seconds(all, one -> one.sluiceCpu().executorsMs()),
        seconds(all, one -> one.sluiceCpu().driverMs()),
        seconds(all, one -> one.sluiceCpu().serversMs()),
        Medians.of(ratios),
        ratios.get(0),
        ratios.get(ratios.size() - 1),
        seconds(all, one -> one.builtIn().elapsedMs()),
        seconds(all, one -> one.sluice().elapsedMs()),
        Medians.of(
            all, one -> (double) one.sluice().elapsedMs() / Math.max(1, one.builtIn().elapsedMs())),
        all.get(0).builtIn().shuffleWrittenBytes() / BYTES_PER_MIB,
        all.get(0).sluice().shuffleWrittenBytes() / BYTES_PER_MIB);
  }

  @Override
  public String remarks() {
    StringBuilder text = new StringBuilder();
    rounds.forEach((key, all) -> appendDifference(text, key, all));
    return text.toString();
  }

  private static void appendDifference(StringBuilder text, Key key, List<JobRound> all) {
    all.stream()
        .filter(one -> !one.isSame())
        .findFirst()
        .ifPresent(
            one ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "%s, %s, %d partitions: rows differ: %s%n",
                        key.job,
                        key.codec,
                        key.partitions,
                        one.sides().stream()
                            .map(side -> side.side() + " " + side.done().digest())
                            .collect(Collectors.joining(", ")))));
  }

  private static double seconds(List<JobRound> all, ToLongFunction<JobRound> millis) {
    return Medians.of(all, millis::applyAsLong) / 1000;
  }
}
