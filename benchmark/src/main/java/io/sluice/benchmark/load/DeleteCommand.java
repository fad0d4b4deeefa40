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
    description = "Fill a directory with one shuffle, without a server, and time its removal.")
public final class DeleteCommand implements Callable<Integer> {
  private static final int WARM_UP_PARTITIONS = 1000;
  private static final int WARM_UP_RUN_BYTES = 1 << 20;
  private static final int WARM_UP_RUNS = 100;

  @Spec private CommandSpec spec;

  @Option(
      names = "--directory",
      required = true,
      paramLabel = "DIR",
      description = "An empty directory on the disk to try; left empty but for the catalog.")
  private Path directory;

  @Option(
      names = "--partitions",
      defaultValue = "50000",
      paramLabel = "N",
      description = "Partitions of the shuffle, in every run; default ${DEFAULT-VALUE}.")
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
          "So much of it is really written, shared out among the runs, the rest are holes; default"
              + " ${DEFAULT-VALUE}.")
  private DataSize written;

  @Override
  public Integer call() throws IOException {
    if (partitions < 1 || runSize.bytes() < 1 || size.bytes() < runSize.bytes()) {
      throw new ParameterException(
          spec.commandLine(), "give at least 1 partition, and a size of at least one run");
    }
    int runs = (int) (size.bytes() / runSize.bytes());
    // Once before, so that classes are loaded and the catalog is open.
    new DeleteBench(directory, WARM_UP_PARTITIONS, WARM_UP_RUN_BYTES, WARM_UP_RUNS, 1).run();
    DeleteBench.Result result =
        new DeleteBench(directory, partitions, runSize.bytes(), runs, written.bytes() / runs).run();
    TextTable table = new TextTable("removing", "");
    table.row("files", result.files() + " of " + runSize.toRoundedText());
    table.row("written", new DataSize(result.writtenBytes() * result.files()).toRoundedText());
    table.row("extents", result.extents());
    table.row("the caller waits", millis(result.askNanos()));
    table.row("until the last file is gone", millis(result.goneNanos()));
    PrintWriter out = spec.commandLine().getOut();
    out.print(table);
    out.flush();
    return 0;
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }
}
