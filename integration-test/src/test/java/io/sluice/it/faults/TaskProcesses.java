package io.sluice.it.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes that run tasks: executors of Spark or containers of MapReduce, below this process.
 *
 * @param mainClass their main class
 */
public record TaskProcesses(String mainClass) {
  public static final TaskProcesses OF_SPARK =
      new TaskProcesses("org.apache.spark.executor.CoarseGrainedExecutorBackend");
  public static final TaskProcesses OF_MAPREDUCE =
      new TaskProcesses("org.apache.hadoop.mapred.YarnChild");

  /** Those that run now. */
  public List<ProcessHandle> running() {
    return ProcessHandle.current().descendants().filter(this::isOne).toList();
  }

  private boolean isOne(ProcessHandle process) {
    try {
      // Not from ProcessHandle.info(), which cuts long command lines.
      String line = Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
      List<String> words = new ArrayList<>(List.of(line.split("\0", -1)));
      return words.get(0).endsWith("/java") && words.contains(mainClass);
    } catch (IOException ended) {
      return false;
    }
  }
}
