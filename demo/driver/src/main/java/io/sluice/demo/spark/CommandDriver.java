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
 * Base of drivers that execute commands sequentially in one Spark application. Reads commands from
 * standard input and answers on standard output (see {@link DriverMessage}). Exits at the end of
 * input, so that it does not outlive the process that started it.
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
   * Work of a command.
   *
   * @param name name for error messages
   */
  record Task(String name, Callable<DriverMessage> work) {}

  /** Rows of a query, elapsed time, and shuffle bytes of Spark's task metrics. */
  record Measured(
      List<Row> rows, long elapsedMs, long shuffleWrittenBytes, long shuffleReadBytes) {}

  /**
   * Parses a command.
   *
   * @param arguments arguments after {@link DriverMessage#RUN}
   * @return null if the arguments are not valid
   */
  abstract Task task(String[] arguments);

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

  /** Runs a query and measures planning, execution and collecting of the rows. */
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
