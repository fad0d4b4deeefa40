package io.sluice.benchmark.engine;

import io.sluice.common.config.DataSize;
import io.sluice.demo.staging.AmountText;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.HadoopParts;
import io.sluice.demo.staging.TeraRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench mapreduce}. */
@Command(
    name = "mapreduce",
    description = {
      "Run terasort on a YARN mini cluster alternately with Hadoop's built-in shuffle and "
          + "through Sluice,"
          + " and compare CPU time of containers, of YARN with its shuffle handler, and of servers,"
          + " elapsed time, and bytes.",
      "All processes are started on loopback and stopped at the end."
    },
    sortOptions = false)
public final class TerasortBenchCommand extends EngineBenchCommand {
  private static final int MAX_TASKS = 100_000;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "5g",
      description =
          "Bytes to sort; generated once and kept in the work directory. Default: "
              + "${DEFAULT-VALUE}.")
  private DataSize size;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "200",
      description = "Number of map tasks. Default: ${DEFAULT-VALUE}.")
  private int maps;

  @Option(
      names = "--reduces",
      paramLabel = "N",
      defaultValue = "50",
      description = "Number of reduce tasks. Default: ${DEFAULT-VALUE}.")
  private int reduces;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of rounds; each runs both sides once. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--containers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of concurrent tasks, with 1 GiB each. Default: ${DEFAULT-VALUE}.")
  private int containers;

  @Option(
      names = "--task-java-option",
      paramLabel = "OPTION",
      description =
          "JVM option of each map and reduce task on both sides; @taskid@ is replaced by "
              + "the attempt id.")
  private List<String> taskJavaOptions = List.of();

  @Option(
      names = "--job-timeout",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "Timeout of one job. Default: ${DEFAULT-VALUE}.")
  private int jobTimeoutMinutes;

  @Override
  protected Opening opening() throws DemoException {
    TerasortBench.Plan plan = plan();
    HadoopParts parts = HadoopParts.of(System.getProperties());
    checkDisk(plan, workDirectory());
    return (staging, progress) -> new TerasortBench(plan, staging, parts, progress);
  }

  private TerasortBench.Plan plan() throws DemoException {
    tasks("--maps", maps);
    tasks("--reduces", reduces);
    atLeastOne("--containers", containers);
    BenchPlan bench = benchPlan(rounds, "--job-timeout", jobTimeoutMinutes);
    long bytes = size.bytes();
    if (bytes < maps * TeraRows.ROW_BYTES) {
      throw DemoException.usage(
          "--size "
              + bytes
              + ": expected at least a row of "
              + TeraRows.ROW_BYTES
              + " bytes for each of "
              + maps
              + " map tasks");
    }
    return new TerasortBench.Plan(
        bytes, maps, reduces, containers, List.copyOf(taskJavaOptions), bench);
  }

  private static void checkDisk(TerasortBench.Plan plan, Path workDirectory) throws DemoException {
    Path existing = workDirectory;
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    long wanted = plan.diskBytes(workDirectory);
    try {
      long free = Files.getFileStore(existing).getUsableSpace();
      if (free < wanted) {
        throw DemoException.usage(
            ("not enough disk space in %s: %s free, %s needed; choose another --work-dir or "
                    + "a smaller --size")
                .formatted(workDirectory, AmountText.bytes(free), AmountText.bytes(wanted)));
      }
    } catch (IOException e) {
      throw DemoException.failed("cannot read the free space of " + existing + ": " + e, e);
    }
  }

  private static void tasks(String option, int count) throws DemoException {
    atLeastOne(option, count);
    if (count > MAX_TASKS) {
      throw DemoException.usage(option + " " + count + ": expected at most " + MAX_TASKS);
    }
  }
}
