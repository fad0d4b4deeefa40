package io.sluice.benchmark.engine;

import io.sluice.demo.Comparison;
import io.sluice.demo.staging.AmountText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Results of a benchmark: a row for each job, codec and number of partitions, with medians over its
 * rounds. Ratios are medians of the ratios of the rounds, because the two runs of a round are
 * seconds apart.
 */
final class JobTable implements Comparison.Outcome {
  private static final String HEADING =
      """
      | codec | partitions | job | built-in CPU s (executors + driver) | Sluice CPU s (executors + driver + servers) | CPU ratio | lowest to highest | built-in s | Sluice s | time ratio | built-in wrote | Sluice wrote |
      | --- | ---: | --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |
      """;

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

  /** Renders the table as Markdown. */
  @Override
  public String render() {
    StringBuilder text = new StringBuilder(HEADING);
    rounds.forEach((key, all) -> appendRow(text, key, all));
    if (!isGood()) {
      rounds.forEach((key, all) -> appendDifference(text, key, all));
    }
    return text.toString();
  }

  private static void appendRow(StringBuilder text, Key key, List<JobRound> all) {
    ToDoubleFunction<JobRound> cpuRatio =
        one -> (double) one.sluiceCpu().totalMs() / Math.max(1, one.builtInCpu().totalMs());
    List<Double> ratios = Medians.sorted(all, cpuRatio);
    text.append(
        String.format(
            Locale.ROOT,
            "| %s | %,d | %s | %.2f (%.2f + %.2f) | %.2f (%.2f + %.2f + %.2f) | **%.2f** |"
                + " %.2f to %.2f | %.2f | %.2f | **%.2f** | %s | %s |%n",
            key.codec,
            key.partitions,
            key.job,
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
                all,
                one -> (double) one.sluice().elapsedMs() / Math.max(1, one.builtIn().elapsedMs())),
            AmountText.bytes(all.get(0).builtIn().shuffleWrittenBytes()),
            AmountText.bytes(all.get(0).sluice().shuffleWrittenBytes())));
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
                        "%s, %s, %d partitions: rows differ: built-in %s, Sluice %s%n",
                        key.job,
                        key.codec,
                        key.partitions,
                        one.builtIn().digest(),
                        one.sluice().digest())));
  }

  private static double seconds(List<JobRound> all, ToLongFunction<JobRound> millis) {
    return Medians.of(all, millis::applyAsLong) / 1000;
  }
}
