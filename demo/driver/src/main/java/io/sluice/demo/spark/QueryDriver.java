package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs queries as the demo asks for them, one at a time: reads commands from standard input,
 * answers on standard output (see {@link DriverMessage}), and ends at the end of input, so that it
 * never outlives the demo.
 */
public final class QueryDriver {
  private static final long LISTENER_TIMEOUT_MS = 30_000;

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

  private final SparkSession spark;
  private final DriverSettings settings;
  private final ShuffleBytes shuffleBytes = new ShuffleBytes();

  QueryDriver(SparkSession spark, DriverSettings settings) {
    this.spark = spark;
    this.settings = settings;
    spark.sparkContext().addSparkListener(shuffleBytes);
    TpchTables.open(spark, settings.dataDirectory());
    spark.sql(WARM_UP).collectAsList();
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
    try (SparkSession spark = SparkSessions.open("sluice-demo", settings)) {
      new QueryDriver(spark, settings).serve(out);
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
      if (!command.startsWith(DriverMessage.RUN)) {
        throw new IOException("unknown command: " + command);
      }
      out.println(
          answer(Integer.parseInt(command.substring(DriverMessage.RUN.length()).strip())).line());
      out.flush();
    }
  }

  private DriverMessage answer(int query) {
    try {
      return run(query);
    } catch (Exception e) {
      e.printStackTrace();
      return new DriverMessage.Failed("query " + query, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Runs one query and saves its rows. The time is that of planning, running and collecting, not of
   * saving.
   */
  DriverMessage.Result run(int query) throws IOException, TimeoutException {
    String text = TpchQueries.text(query, settings.scale());
    long writtenBefore = shuffleBytes.writtenBytes();
    long readBefore = shuffleBytes.readBytes();
    spark.sparkContext().setJobDescription("TPC-H " + query);
    long startNanos = System.nanoTime();
    Dataset<Row> result = spark.sql(text);
    List<Row> rows = result.collectAsList();
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    spark.sparkContext().listenerBus().waitUntilEmpty(LISTENER_TIMEOUT_MS);

    ResultRows saved = new ResultRows(rows.stream().map(QueryDriver::line).toList());
    saved.write(ResultRows.file(settings.rowsDirectory(), query));
    return new DriverMessage.Result(
        query,
        rows.size(),
        elapsedMs,
        saved.digest(),
        shuffleBytes.writtenBytes() - writtenBefore,
        shuffleBytes.readBytes() - readBefore);
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
