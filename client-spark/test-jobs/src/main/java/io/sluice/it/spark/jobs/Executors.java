package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/** Tells a test which executor process ran which task. */
final class Executors {
  private Executors() {}

  /** The id and the process id of the executor that this is called in, with a space between. */
  static String current() {
    return SparkEnv.get().executorId() + " " + ProcessHandle.current().pid();
  }

  /** Task: notes that an attempt runs here, as a file {@code PARTITION-ATTEMPT}. */
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
