package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;

/** Runs the queries that a benchmark sends, and saves the rows of their exchanges. */
public final class RowLogDriver extends CommandDriver {
  private final SparkWorkload workload;
  private final DriverSettings settings;
  private final RowLog log;

  RowLogDriver(SparkSession spark, SparkWorkload workload, DriverSettings settings) {
    super(spark, workload, settings.dataDirectory());
    this.workload = workload;
    this.settings = settings;
    this.log =
        new RowLog(
            Path.of(spark.conf().get("spark.local.dir")),
            settings.rowsDirectory(),
            Long.parseLong(spark.conf().get("spark.sluice.bench.sample")));
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
        (spark, settings, out) ->
            new RowLogDriver(spark, SparkWorkload.of(settings), settings).serve(out));
  }

  @Override
  Task task(String[] arguments) {
    return arguments.length == 1 ? new Task(arguments[0], () -> run(arguments[0])) : null;
  }

  /** Runs a query of the workload, or a job of the benchmark. */
  private DriverMessage.JobDone run(String name) throws IOException, TimeoutException {
    int partitions = Integer.parseInt(spark().conf().get("spark.sql.shuffle.partitions"));
    String sql =
        name.matches("[0-9]+[ab]?")
            ? workload.text(name, settings.scale())
            : ShuffleJob.of(name).sql(partitions);
    RowLogManager manager = (RowLogManager) SparkEnv.get().shuffleManager();
    Measured measured = measure(name, sql);
    log.save(settings.workload() + "-" + name, manager.takeFields());
    return new DriverMessage.JobDone(
        name,
        partitions,
        "-",
        measured.elapsedMs(),
        measured.shuffleWrittenBytes(),
        measured.shuffleReadBytes(),
        0,
        0);
  }
}
