package io.sluice.benchmark.load;

import io.sluice.benchmark.load.MetadataBench.Cost;
import io.sluice.benchmark.load.MetadataBench.Scenario;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench metadata}. */
@Command(
    name = "metadata",
    description = "Measure heap bytes per object of the server's log, without a server.")
public final class MetadataCommand implements Callable<Integer> {
  private static final int WARM_UP = 100;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Option(
      names = "--shuffles",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Number of shuffles; default ${DEFAULT-VALUE}.")
  private int shuffles;

  @Option(
      names = "--partitions",
      defaultValue = "100000",
      paramLabel = "N",
      description = "Number of partitions of all shuffles; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--attempts",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Number of map attempts of all shuffles; default ${DEFAULT-VALUE}.")
  private int attempts;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (shuffles < 1 || partitions < 100 || attempts < 100) {
      throw new ParameterException(
          spec.commandLine(),
          "expected --shuffles of at least 1, --partitions and --attempts of at least 100");
    }
    // Warm-up: loads classes.
    new MetadataBench(WARM_UP, WARM_UP, WARM_UP).costs();
    MetadataBench bench = new MetadataBench(shuffles, partitions, attempts);
    BenchTable table =
        new BenchTable(
            "metadata",
            "Heap of the server's log",
            Column.text("heap"),
            Column.number("count", 0),
            Column.number("bytes each", 2));
    for (Cost cost : bench.costs()) {
      table.row(cost.kind(), cost.count(), cost.each());
    }
    Scenario all = bench.scenario();
    results.publish(
        List.of(table),
        List.of(
            String.format(
                Locale.ROOT,
                "%d shuffles, %d partitions, %d attempts, each in every partition of its shuffle:"
                    + " %s, %.0f bytes per partition.",
                all.shuffles(),
                all.partitions(),
                all.attempts(),
                new DataSize(all.bytes()).toRoundedText(),
                (double) all.bytes() / all.partitions())));
    return 0;
  }
}
