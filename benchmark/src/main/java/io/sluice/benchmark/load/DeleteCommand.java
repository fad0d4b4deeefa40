package io.sluice.benchmark.load;

import io.sluice.cli.TextTable;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
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

  @Spec private CommandSpec spec;

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
    TextTable table = new TextTable("deletion", "");
    table.row("files", result.files() + " of " + runSize.toRoundedText());
    table.row("written", new DataSize(result.writtenBytes() * result.files()).toRoundedText());
    table.row("extents", result.extents());
    table.row("time of the call", millis(result.callNanos()));
    table.row("time until the last file is deleted", millis(result.deletedNanos()));
    PrintWriter out = spec.commandLine().getOut();
    out.print(table);
    out.flush();
    return 0;
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }
}
