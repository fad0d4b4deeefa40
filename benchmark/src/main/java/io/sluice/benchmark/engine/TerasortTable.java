package io.sluice.benchmark.engine;

import io.sluice.demo.Comparison;
import io.sluice.demo.ProgramComparison;
import io.sluice.demo.ProgramTable;
import io.sluice.demo.Verdict;
import io.sluice.demo.staging.AmountText;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Results of a terasort benchmark: one row with medians. Ratios are medians of the ratios of the
 * rounds, because the two runs of a round directly follow each other.
 */
final class TerasortTable implements Comparison.Outcome {
  private static final String HEADING =
      """
      | size | maps | reduces | built-in CPU s (containers + YARN) | Sluice CPU s (containers + YARN + servers) | CPU ratio | rounds | built-in s | Sluice s | time ratio | rounds | built-in shuffled | Sluice pushed, spilled, fetched |
      | ---: | ---: | ---: | --- | --- | ---: | --- | ---: | ---: | ---: | --- | ---: | ---: |
      """;

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

  /** Renders the table as Markdown. */
  @Override
  public String render() {
    ProgramComparison first = rounds.get(0).comparison();
    StringBuilder text = new StringBuilder(HEADING);
    text.append(
        String.format(
            Locale.ROOT,
            "| %s | %d | %d | %.1f (%.1f + %.1f) | %.1f (%.1f + %.1f + %.1f) | **%.2f** | %s |"
                + " %.1f | %.1f | **%.2f** | %s | %s | %s, %s, %s |%n",
            AmountText.bytes(bytes),
            maps,
            reduces,
            seconds(round -> round.builtInCpu().totalMs()),
            seconds(round -> round.builtInCpu().containersMs()),
            seconds(round -> round.builtInCpu().serversMs()),
            seconds(TerasortRound::sluiceTotalMs),
            seconds(round -> round.sluiceCpu().containersMs()),
            seconds(round -> round.sluiceCpu().serversMs()),
            seconds(TerasortRound::serversMs),
            median(TerasortRound::cpuRatio),
            each(TerasortRound::cpuRatio),
            seconds(round -> round.comparison().builtIn().elapsedMs()),
            seconds(round -> round.comparison().sluice().elapsedMs()),
            median(TerasortRound::timeRatio),
            each(TerasortRound::timeRatio),
            AmountText.bytes(first.builtIn().counter("Reduce shuffle bytes")),
            AmountText.bytes(first.servers().pushedBytes()),
            AmountText.bytes(first.servers().spilledBytes()),
            AmountText.bytes(first.servers().fetchedBytes())));
    rounds.forEach(round -> ProgramTable.appendDifferences(text, round.comparison()));
    return text.toString();
  }

  private double seconds(ToDoubleFunction<TerasortRound> millis) {
    return median(millis) / 1000;
  }

  private double median(ToDoubleFunction<TerasortRound> value) {
    return Medians.of(rounds, value);
  }

  private String each(ToDoubleFunction<TerasortRound> ratio) {
    return rounds.stream()
        .map(round -> String.format(Locale.ROOT, "%.2f", ratio.applyAsDouble(round)))
        .collect(Collectors.joining(", "));
  }
}
