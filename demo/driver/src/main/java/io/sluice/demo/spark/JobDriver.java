package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs the jobs of a benchmark as it asks for them, one at a time, in one Spark application. Talks
 * as {@link QueryDriver} does.
 */
public final class JobDriver {
  private static final long LISTENER_TIMEOUT_MS = 30_000;

  private final SparkSession spark;
  private final ShuffleBytes shuffleBytes = new ShuffleBytes();

  JobDriver(SparkSession spark, DriverSettings settings) {
    this.spark = spark;
    spark.sparkContext().addSparkListener(shuffleBytes);
    TpchTables.open(spark, settings.dataDirectory());
  }

  /**
   * Runs the driver.
   *
   * @param arguments the file of its {@link DriverSettings}
   */
  public static void main(String[] arguments) {
    DriverSettings settings = DriverSettings.read(Path.of(arguments[0]));
    PrintStream out = System.out;
    int exitCode = 0;
    try (SparkSession spark = SparkSessions.open("sluice-bench", settings)) {
      new JobDriver(spark, settings).serve(out);
    } catch (Exception e) {
      e.printStackTrace();
      out.println(new DriverMessage.Failed("driver", String.valueOf(e.getMessage())).line());
      exitCode = 1;
    }
    out.flush();
    System.exit(exitCode);
  }

  private void serve(PrintStream out) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out.println(new DriverMessage.Ready(spark.sparkContext().applicationId()).line());
    out.flush();
    for (String command = in.readLine(); command != null; command = in.readLine()) {
      String[] words = command.split(" ", -1);
      if (!command.startsWith(DriverMessage.RUN) || words.length != 3) {
        throw new IOException("unknown command: " + command);
      }
      out.println(answer(ShuffleJob.of(words[1]), Integer.parseInt(words[2])).line());
      out.flush();
    }
  }

  private DriverMessage answer(ShuffleJob job, int partitions) {
    try {
      return run(job, partitions);
    } catch (Exception e) {
      e.printStackTrace();
      return new DriverMessage.Failed(job.word(), String.valueOf(e.getMessage()));
    }
  }

  /** Runs one job; the time is that of planning and running. */
  DriverMessage.JobDone run(ShuffleJob job, int partitions) throws TimeoutException {
    spark.conf().set("spark.sql.shuffle.partitions", partitions);
    long writtenBefore = shuffleBytes.writtenBytes();
    long readBefore = shuffleBytes.readBytes();
    spark.sparkContext().setJobDescription(job.word());
    long startNanos = System.nanoTime();
    List<Row> rows = spark.sql(job.sql(partitions)).collectAsList();
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    spark.sparkContext().listenerBus().waitUntilEmpty(LISTENER_TIMEOUT_MS);
    // Spark frees shuffles that nothing refers to any more, which it learns from the collector.
    System.gc();
    return new DriverMessage.JobDone(
        job.word(),
        partitions,
        rows.stream().map(JobDriver::digest).collect(Collectors.joining(",")),
        elapsedMs,
        shuffleBytes.writtenBytes() - writtenBefore,
        shuffleBytes.readBytes() - readBefore);
  }

  private static String digest(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(i -> String.valueOf(row.get(i)))
        .collect(Collectors.joining(":"));
  }
}
