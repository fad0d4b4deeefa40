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
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Results of a benchmark: a row for each job, codec, number of partitions and side, with medians
 * over its rounds. Ratios are medians of the ratios of the rounds, because the runs of a round are
 * seconds apart. With other services, the tables have names of their own, so that one page can have
 * both.
 */
final class JobTable implements TabledOutcome {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double MILLIS_PER_SECOND = 1000;
  private static final int SIDES_WITHOUT_PEERS = 2;

  private final Map<Key, List<JobRound>> rounds = new LinkedHashMap<>();
  private final String name;

  private record Key(String codec, int partitions, String job) {
    static Key of(JobRound round) {
      return new Key(round.codec(), round.builtIn().partitions(), round.builtIn().job());
    }
  }

  JobTable(List<JobRound> all) {
    name =
        all.stream().anyMatch(one -> one.sides().size() > SIDES_WITHOUT_PEERS) ? "peers" : "spark";
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
    return List.of(
        fill(costs(name), JobTable::costRow),
        fill(stages(name), JobTable::stageRow),
        fill(bytes(name), JobTable::bytesRow));
  }

  /** Returns the cells of a row behind its key. */
  private interface Cells {
    List<Object> of(List<JobRound> all, int side);
  }

  /** Adds a row for each side. */
  private BenchTable fill(BenchTable table, Cells cells) {
    rounds.forEach(
        (key, all) -> {
          for (int side = 0; side < all.get(0).sides().size(); side++) {
            List<Object> row = new ArrayList<>();
            row.addAll(List.of(key.job, key.codec, key.partitions));
            row.add(all.get(0).sides().get(side).side());
            row.addAll(cells.of(all, side));
            table.row(row.toArray());
          }
        });
    return table;
  }

  private static BenchTable table(String name, String title, Column... columns) {
    List<Column> all = new ArrayList<>();
    all.add(Column.text("job"));
    all.add(Column.text("codec"));
    all.add(Column.number("partitions", 0));
    all.add(Column.text("shuffle"));
    all.addAll(List.of(columns));
    return new BenchTable(name, title, all.toArray(Column[]::new));
  }

  private static BenchTable costs(String name) {
    return table(
            name,
            "Spark jobs by shuffle",
            Column.number("CPU s", 2),
            Column.number("of executors", 2),
            Column.number("of the driver", 2),
            Column.number("of servers", 2),
            Column.number("CPU, times built-in", 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("s", 2),
            Column.number("time, times built-in", 2))
        .chart(
            new Chart(
                "CPU of all processes",
                "seconds",
                Chart.Kind.BARS,
                "job",
                "shuffle",
                List.of("CPU s")));
  }

  private static List<Object> costRow(List<JobRound> all, int side) {
    List<Double> ratios = Medians.sorted(all, ratio(side, run -> run.cpu().totalMs()));
    return List.of(
        seconds(all, side, run -> run.cpu().totalMs()),
        seconds(all, side, run -> run.cpu().executorsMs()),
        seconds(all, side, run -> run.cpu().driverMs()),
        seconds(all, side, run -> run.cpu().serversMs()),
        Medians.of(ratios),
        ratios.get(0),
        ratios.get(ratios.size() - 1),
        seconds(all, side, run -> run.done().elapsedMs()),
        Medians.of(all, ratio(side, run -> run.done().elapsedMs())));
  }

  private static BenchTable stages(String name) {
    return table(
        name + "-stages",
        "CPU of executors by stage",
        Column.number("map stages, CPU s", 2),
        Column.number("map stages, times built-in", 2),
        Column.number("reduce stages, CPU s", 2),
        Column.number("reduce stages, times built-in", 2));
  }

  private static List<Object> stageRow(List<JobRound> all, int side) {
    return List.of(
        seconds(all, side, run -> run.done().mapCpuMs()),
        Medians.of(all, ratio(side, run -> run.done().mapCpuMs())),
        seconds(all, side, run -> run.done().reduceCpuMs()),
        Medians.of(all, ratio(side, run -> run.done().reduceCpuMs())));
  }

  private static BenchTable bytes(String name) {
    return table(
        name + "-bytes",
        "Bytes and memory of Spark jobs",
        Column.number("wrote, MiB", 1),
        Column.number("read, MiB", 1),
        Column.number("executors resident, MiB", 0),
        Column.number("servers resident, MiB", 0));
  }

  private static List<Object> bytesRow(List<JobRound> all, int side) {
    return List.of(
        Medians.of(all, value(side, run -> run.done().shuffleWrittenBytes() / BYTES_PER_MIB)),
        Medians.of(all, value(side, run -> run.done().shuffleReadBytes() / BYTES_PER_MIB)),
        highest(all, side, run -> run.residentBytes().executors()) / BYTES_PER_MIB,
        highest(all, side, run -> run.residentBytes().servers()) / BYTES_PER_MIB);
  }

  private static double seconds(List<JobRound> all, int side, ToDoubleFunction<SideRun> ms) {
    return Medians.of(all, value(side, ms)) / MILLIS_PER_SECOND;
  }

  private static double highest(List<JobRound> all, int side, ToDoubleFunction<SideRun> value) {
    return all.stream().mapToDouble(value(side, value)).max().orElseThrow();
  }

  private static ToDoubleFunction<JobRound> value(int side, ToDoubleFunction<SideRun> value) {
    return round -> value.applyAsDouble(round.sides().get(side));
  }

  /** A value of a side, as a multiple of that of the built-in shuffle in the same round. */
  private static ToDoubleFunction<JobRound> ratio(int side, ToDoubleFunction<SideRun> value) {
    return round ->
        value.applyAsDouble(round.sides().get(side))
            / Math.max(1, value.applyAsDouble(round.sides().get(0)));
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
}
