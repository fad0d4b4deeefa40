package io.sluice.benchmark.load;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench delete}. */
@Command(
    name = "delete",
    description =
        "Fill a directory with the run files of one shuffle, without a server, and measure "
            + "the time of their deletion.")
public final class DeleteCommand implements Callable<Integer> {
  private static final int WARM_UP_PARTITIONS = 1000;
  private static final int WARM_UP_RUN_BYTES = 1 << 20;
  private static final int WARM_UP_RUNS = 100;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double NANOS_PER_MS = 1e6;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Option(
      names = "--directory",
      required = true,
      paramLabel = "DIR",
      description = "Empty directory on the disk to measure. Only the catalog remains in it.")
  private Path directory;

  @Option(
      names = "--partitions",
      defaultValue = "50000",
      paramLabel = "N",
      description = "Number of partitions of the shuffle, in every run; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--size",
      defaultValue = "100g",
      paramLabel = "SIZE",
      description = "Bytes of the shuffle; default ${DEFAULT-VALUE}.")
  private DataSize size;

  @Option(
      names = "--run-size",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description = "Bytes of a run; default ${DEFAULT-VALUE}.")
  private DataSize runSize;

  @Option(
      names = "--written",
      defaultValue = "10g",
      paramLabel = "SIZE",
      description =
          "Bytes that are written, distributed over the run files; the rest is sparse. "
              + "Default ${DEFAULT-VALUE}.")
  private DataSize written;

  @Override
  public Integer call() throws IOException {
    if (partitions < 1 || runSize.bytes() < 1 || size.bytes() < runSize.bytes()) {
      throw new ParameterException(
          spec.commandLine(),
          "expected --partitions of at least 1 and --size of at least --run-size");
    }
    int runs = (int) (size.bytes() / runSize.bytes());
    // Warm-up: loads classes and opens the catalog.
    new DeleteBench(directory, WARM_UP_PARTITIONS, WARM_UP_RUN_BYTES, WARM_UP_RUNS, 1).run();
    DeleteBench.Result result =
        new DeleteBench(directory, partitions, runSize.bytes(), runs, written.bytes() / runs).run();
    BenchTable table =
        new BenchTable(
            "delete",
            "Deletion of a shuffle",
            Column.text("shuffle"),
            Column.number("files", 0),
            Column.number("extents", 0),
            Column.number("written MiB", 0),
            Column.number("time of the call, ms", 2),
            Column.number("until the last file is deleted, ms", 2));
    table.row(
        size.toRoundedText() + " in files of " + runSize.toRoundedText(),
        result.files(),
        result.extents(),
        result.writtenBytes() * result.files() / BYTES_PER_MIB,
        result.callNanos() / NANOS_PER_MS,
        result.deletedNanos() / NANOS_PER_MS);
    results.publish(List.of(table), List.of());
    return 0;
  }
}
