package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Runs the jobs that a benchmark sends. */
public final class TimedJobDriver extends CommandDriver {
  private final StageCpu stageCpu = new StageCpu(TimedJobDriver::executorsCpuMs);

  TimedJobDriver(SparkSession spark, DriverSettings settings) {
    super(spark, SparkWorkload.of(settings), settings.dataDirectory());
    spark.sparkContext().addSparkListener(stageCpu);
  }

  /**
   * Runs the driver.
   *
   * @param arguments the file of its {@link DriverSettings}
   */
  public static void main(String[] arguments) {
    DriverMain.run(
        "sluice-bench",
        "driver",
        arguments,
        (spark, settings, out) -> new TimedJobDriver(spark, settings).serve(out));
  }

  @Override
  Task task(String[] arguments) {
    if (arguments.length != 2) {
      return null;
    }
    ShuffleJob job = ShuffleJob.of(arguments[0]);
    int partitions = Integer.parseInt(arguments[1]);
    return new Task(job.label(), () -> run(job, partitions));
  }

  /** Runs one job. */
  private DriverMessage.JobDone run(ShuffleJob job, int partitions) throws TimeoutException {
    spark().conf().set("spark.sql.shuffle.partitions", partitions);
    StageCpu.Sums before = stageCpu.sums();
    Measured measured = measure(job.label(), job.sql(partitions));
    StageCpu.Sums after = stageCpu.sums();
    // Spark deletes shuffles after their references have been garbage-collected.
    System.gc();
    return new DriverMessage.JobDone(
        job.label(),
        partitions,
        measured.rows().stream().map(TimedJobDriver::digest).collect(Collectors.joining(",")),
        measured.elapsedMs(),
        measured.shuffleWrittenBytes(),
        measured.shuffleReadBytes(),
        after.mapMs() - before.mapMs(),
        after.reduceMs() - before.reduceMs());
  }

  /** CPU time of the processes that this one has started, which are the executors. */
  private static long executorsCpuMs() {
    return ProcessHandle.current()
        .descendants()
        .mapToLong(executor -> executor.info().totalCpuDuration().orElse(Duration.ZERO).toMillis())
        .sum();
  }

  private static String digest(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(i -> String.valueOf(row.get(i)))
        .collect(Collectors.joining(":"));
  }
}
