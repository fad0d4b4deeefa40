package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.SparkSession;

/** Runs the queries that the demo sends. */
public final class QueryDriver extends CommandDriver {
  private final SparkWorkload workload;
  private final DriverSettings settings;

  QueryDriver(SparkSession spark, SparkWorkload workload, DriverSettings settings) {
    super(spark, workload, settings.dataDirectory());
    this.workload = workload;
    this.settings = settings;
    spark.sql(workload.warmUp()).collectAsList();
  }

  /**
   * Runs the driver.
   *
   * @param arguments the file of its {@link DriverSettings}
   */
  public static void main(String[] arguments) {
    DriverMain.run(
        "sluice-demo",
        "driver",
        arguments,
        (spark, settings, out) ->
            new QueryDriver(spark, SparkWorkload.of(settings), settings).serve(out));
  }

  @Override
  Task task(String[] arguments) {
    if (arguments.length != 1) {
      return null;
    }
    String query = arguments[0];
    return new Task("query " + query, () -> run(query));
  }

  /** Runs one query and saves its rows. The measured time does not include saving. */
  DriverMessage.Result run(String query) throws IOException, TimeoutException {
    Measured measured =
        measure(settings.workload().title() + " " + query, workload.text(query, settings.scale()));
    ResultRows saved = new ResultRows(measured.rows().stream().map(RowText::line).toList());
    saved.write(ResultRows.file(settings.rowsDirectory(), query));
    return new DriverMessage.Result(
        query,
        measured.rows().size(),
        measured.elapsedMs(),
        saved.digest(),
        measured.shuffleWrittenBytes(),
        measured.shuffleReadBytes());
  }
}
