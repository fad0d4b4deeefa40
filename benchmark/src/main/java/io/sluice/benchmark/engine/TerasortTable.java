package io.sluice.benchmark.engine;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.demo.ProgramComparison;
import io.sluice.demo.ProgramTable;
import io.sluice.demo.Verdict;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Results of a terasort benchmark: one row with medians. Ratios are medians of the ratios of the
 * rounds, because the two runs of a round directly follow each other.
 */
final class TerasortTable implements TabledOutcome {
  private static final double BYTES_PER_MIB = 1 << 20;

  private final long bytes;
  private final int maps;
  private final int reduces;
  private final List<TerasortRound> rounds;

  TerasortTable(long bytes, int maps, int reduces, List<TerasortRound> rounds) {
    this.bytes = bytes;
    this.maps = maps;
    this.reduces = reduces;
    this.rounds = List.copyOf(rounds);
  }

  /**
   * True if both sides wrote the same files in all rounds, and Sluice's data went through the
   * servers.
   */
  @Override
  public boolean isGood() {
    return rounds.stream().allMatch(round -> round.comparison().verdict() == Verdict.SAME);
  }

  @Override
  public List<BenchTable> tables() {
    ProgramComparison first = rounds.get(0).comparison();
    List<Double> cpuRatios = Medians.sorted(rounds, TerasortRound::cpuRatio);
    List<Double> timeRatios = Medians.sorted(rounds, TerasortRound::timeRatio);
    BenchTable table =
        new BenchTable(
            "mapreduce",
            "Terasort, built-in shuffle against Sluice",
            Column.number("MiB", 0),
            Column.number("maps", 0),
            Column.number("reduces", 0),
            Column.number("built-in CPU s", 1),
            Column.number("of containers", 1),
            Column.number("of YARN", 1),
            Column.number("Sluice CPU s", 1),
            Column.number("of its containers", 1),
            Column.number("of its YARN", 1),
            Column.number("of servers", 1),
            Column.number("CPU ratio", 2),
            Column.number("lowest CPU ratio", 2),
            Column.number("highest CPU ratio", 2),
            Column.number("built-in s", 1),
            Column.number("Sluice s", 1),
            Column.number("time ratio", 2),
            Column.number("lowest time ratio", 2),
            Column.number("highest time ratio", 2),
            Column.number("built-in shuffled, MiB", 1),
            Column.number("pushed, MiB", 1),
            Column.number("spilled, MiB", 1),
            Column.number("fetched, MiB", 1));
    table.row(
        bytes / BYTES_PER_MIB,
        maps,
        reduces,
        seconds(round -> round.builtInCpu().totalMs()),
        seconds(round -> round.builtInCpu().containersMs()),
        seconds(round -> round.builtInCpu().serversMs()),
        seconds(TerasortRound::sluiceTotalMs),
        seconds(round -> round.sluiceCpu().containersMs()),
        seconds(round -> round.sluiceCpu().serversMs()),
        seconds(TerasortRound::serversMs),
        Medians.of(cpuRatios),
        cpuRatios.get(0),
        cpuRatios.get(cpuRatios.size() - 1),
        seconds(round -> round.comparison().builtIn().elapsedMs()),
        seconds(round -> round.comparison().sluice().elapsedMs()),
        Medians.of(timeRatios),
        timeRatios.get(0),
        timeRatios.get(timeRatios.size() - 1),
        first.builtIn().counter("Reduce shuffle bytes") / BYTES_PER_MIB,
        first.servers().pushedBytes() / BYTES_PER_MIB,
        first.servers().spilledBytes() / BYTES_PER_MIB,
        first.servers().fetchedBytes() / BYTES_PER_MIB);
    return List.of(table);
  }

  @Override
  public String remarks() {
    StringBuilder text = new StringBuilder();
    rounds.forEach(round -> ProgramTable.appendDifferences(text, round.comparison()));
    return text.toString();
  }

  private double seconds(ToDoubleFunction<TerasortRound> millis) {
    return Medians.of(rounds, millis) / 1000;
  }
}
