package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Runs queries as the demo asks for them. */
public final class QueryDriver extends CommandDriver {
  /**
   * Joins, sorts and aggregates the two smallest tables with shuffles, so that the first timed
   * query does not pay for what a Spark application does once: starting its executors' engines,
   * loading classes, opening connections.
   */
  private static final String WARM_UP =
      """
      SELECT /*+ MERGE(n, r) */ r_name, count(*) AS nations, sum(n_nationkey) AS keys
      FROM nation n JOIN region r ON n_regionkey = r_regionkey
      GROUP BY r_name
      ORDER BY nations DESC, r_name
      """;

  private final DriverSettings settings;

  QueryDriver(SparkSession spark, DriverSettings settings) {
    super(spark, settings.dataDirectory());
    this.settings = settings;
    spark.sql(WARM_UP).collectAsList();
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
        (spark, settings, out) -> new QueryDriver(spark, settings).serve(out));
  }

  @Override
  Task task(String[] words) {
    if (words.length != 1) {
      return null;
    }
    int query = Integer.parseInt(words[0]);
    return new Task("query " + query, () -> run(query));
  }

  /**
   * Runs one query and saves its rows. The time is that of planning, running and collecting, not of
   * saving.
   */
  DriverMessage.Result run(int query) throws IOException, TimeoutException {
    Measured measured = measure("TPC-H " + query, TpchQueries.text(query, settings.scale()));
    ResultRows saved = new ResultRows(measured.rows().stream().map(QueryDriver::line).toList());
    saved.write(ResultRows.file(settings.rowsDirectory(), query));
    return new DriverMessage.Result(
        query,
        measured.rows().size(),
        measured.elapsedMs(),
        saved.digest(),
        measured.shuffleWrittenBytes(),
        measured.shuffleReadBytes());
  }

  private static String line(Row row) {
    List<String> columns = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      columns.add(text(row.get(i)));
    }
    return ResultRows.line(columns);
  }

  private static String text(Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Double || value instanceof Float) {
      throw new IllegalStateException(
          "a result holds the inexact number " + value + "; the comparison is exact");
    }
    return value.toString();
  }
}
