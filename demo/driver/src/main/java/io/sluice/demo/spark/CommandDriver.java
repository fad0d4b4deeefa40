package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs what it is asked for, one thing at a time, in one Spark application: reads commands from
 * standard input, answers on standard output (see {@link DriverMessage}), and ends at the end of
 * input, so that it never outlives who started it.
 */
abstract class CommandDriver {
  private static final long LISTENER_TIMEOUT_MS = 30_000;

  private final SparkSession spark;
  private final ShuffleBytes shuffleBytes = new ShuffleBytes();

  CommandDriver(SparkSession spark, SparkWorkload workload, Path dataDirectory) {
    this.spark = spark;
    spark.sparkContext().addSparkListener(shuffleBytes);
    workload.open(spark, dataDirectory);
  }

  /**
   * What a command asks for.
   *
   * @param name for a message that it failed
   */
  record Task(String name, Callable<DriverMessage> work) {}

  /** Rows of a text, and what it took to get them: Spark's own task metrics, and time. */
  record Measured(
      List<Row> rows, long elapsedMs, long shuffleWrittenBytes, long shuffleReadBytes) {}

  /**
   * Reads a command.
   *
   * @param words what follows {@link DriverMessage#RUN}
   * @return null if it is none
   */
  abstract Task task(String[] words);

  final SparkSession spark() {
    return spark;
  }

  final void serve(PrintStream out) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out.println(new DriverMessage.Ready(spark.sparkContext().applicationId()).line());
    out.flush();
    for (String command = in.readLine(); command != null; command = in.readLine()) {
      Task task =
          command.startsWith(DriverMessage.RUN)
              ? task(command.substring(DriverMessage.RUN.length()).split(" ", -1))
              : null;
      if (task == null) {
        throw new IOException("unknown command: " + command);
      }
      out.println(answer(task).line());
      out.flush();
    }
  }

  private static DriverMessage answer(Task task) {
    try {
      return task.work().call();
    } catch (Exception e) {
      e.printStackTrace();
      return DriverMessage.Failed.of(task.name(), e);
    }
  }

  /** Runs a text; the time is that of planning, running and collecting. */
  final Measured measure(String description, String sql) throws TimeoutException {
    long writtenBefore = shuffleBytes.writtenBytes();
    long readBefore = shuffleBytes.readBytes();
    spark.sparkContext().setJobDescription(description);
    long startNanos = System.nanoTime();
    List<Row> rows = spark.sql(sql).collectAsList();
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    spark.sparkContext().listenerBus().waitUntilEmpty(LISTENER_TIMEOUT_MS);
    return new Measured(
        rows,
        elapsedMs,
        shuffleBytes.writtenBytes() - writtenBefore,
        shuffleBytes.readBytes() - readBefore);
  }
}
