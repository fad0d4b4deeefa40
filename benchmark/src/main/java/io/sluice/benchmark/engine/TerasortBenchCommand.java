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
      "Sorts Hadoop's terasort rows on a mini cluster of YARN, with Hadoop's own shuffle and"
          + " through Sluice, in turns, and compares what they cost: CPU of containers, of YARN"
          + " with its shuffle handler, and of servers, time, bytes.",
      "Starts all processes on loopback, and ends them."
    },
    sortOptions = false)
public final class TerasortBenchCommand extends EngineBenchCommand {
  private static final int MAX_TASKS = 100_000;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "5g",
      description =
          "What to sort; made once and kept in the working directory. Default: ${DEFAULT-VALUE}.")
  private DataSize size;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "200",
      description = "Map tasks. Default: ${DEFAULT-VALUE}.")
  private int maps;

  @Option(
      names = "--reduces",
      paramLabel = "N",
      defaultValue = "50",
      description = "Reduce tasks. Default: ${DEFAULT-VALUE}.")
  private int reduces;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds, with a turn for each side. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--containers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Tasks that run at once, with 1 GiB each. Default: ${DEFAULT-VALUE}.")
  private int containers;

  @Option(
      names = "--task-java-option",
      paramLabel = "OPTION",
      description =
          "An option for the JVM of each map and reduce task on both sides; @taskid@ in it becomes"
              + " the attempt's name.")
  private List<String> taskJavaOptions = List.of();

  @Option(
      names = "--job-timeout",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "Longest that one job may take. Default: ${DEFAULT-VALUE}.")
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
    BenchPlan bench = benchPlan(rounds, jobTimeoutMinutes);
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
    Path there = workDirectory;
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    long wanted = plan.diskBytes(workDirectory);
    try {
      long free = Files.getFileStore(there).getUsableSpace();
      if (free < wanted) {
        throw DemoException.usage(
            "%s has %s free, this needs up to %s: choose another --work-dir or a smaller --size"
                .formatted(workDirectory, AmountText.bytes(free), AmountText.bytes(wanted)));
      }
    } catch (IOException e) {
      throw DemoException.failed("cannot tell how much room " + there + " has: " + e, e);
    }
  }

  private static void tasks(String option, int count) throws DemoException {
    atLeastOne(option, count);
    if (count > MAX_TASKS) {
      throw DemoException.usage(option + " " + count + ": expected at most " + MAX_TASKS);
    }
  }
}
