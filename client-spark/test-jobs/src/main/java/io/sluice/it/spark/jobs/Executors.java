package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/** Records which executor process ran which task. */
final class Executors {
  private Executors() {}

  /** Executor id and process id of this executor, separated by a space. */
  static String current() {
    // PID@HOST; Java 8 has no other way.
    String process = ManagementFactory.getRuntimeMXBean().getName();
    return SparkEnv.get().executorId() + " " + process.substring(0, process.indexOf('@'));
  }

  /** Task: records that an attempt runs here, in a file {@code PARTITION-ATTEMPT}. */
  static void note(String directory) {
    TaskContext task = TaskContext.get();
    try {
      Files.writeString(
          Path.of(directory, task.partitionId() + "-" + task.taskAttemptId()), current());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
