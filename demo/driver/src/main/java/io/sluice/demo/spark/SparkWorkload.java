package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A workload on Spark: its tables as Parquet, a directory for each, and the texts of its queries.
 */
public abstract class SparkWorkload {
  private final Tables tables;

  SparkWorkload(Tables tables) {
    this.tables = tables;
  }

  /**
   * @param queryTexts the jar of Spark's tests, for the queries of TPC-DS
   */
  public static SparkWorkload of(Workload workload, Optional<Path> queryTexts) {
    return switch (workload) {
      case TPCH -> new TpchWorkload();
      case TPCDS -> new TpcdsWorkload(queryTexts);
    };
  }

  static SparkWorkload of(DriverSettings settings) {
    return of(settings.workload(), settings.queryTexts());
  }

  /**
   * The text of a query in Spark's dialect.
   *
   * @param query one of {@link Workload#queries}
   * @param scale scale factor of the data
   */
  public abstract String text(String query, double scale) throws IOException;

  /**
   * A query that joins, sorts and aggregates two of the smallest tables with shuffles, so that the
   * first timed query does not pay for what a Spark application does once: starting its executors'
   * engines, loading classes, opening connections.
   */
  abstract String warmUp();

  public final List<String> tableNames() {
    return tables.names();
  }

  /** How many tasks {@link #write} runs for all tables together. */
  final int totalParts(double scale) {
    return tableNames().stream().mapToInt(table -> tables.parts(table, scale)).sum();
  }

  /** Generates a table in parallel and writes it to {@code directory/table}. */
  public final void write(SparkSession spark, String table, double scale, Path directory) {
    Tables generator = tables;
    int partCount = generator.parts(table, scale);
    List<Integer> parts = IntStream.rangeClosed(1, partCount).boxed().toList();
    JavaRDD<Row> rows =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(parts, partCount)
            .flatMap(part -> generator.rows(table, scale, part, partCount));
    spark
        .createDataFrame(rows, generator.schema(table))
        .write()
        .mode(SaveMode.ErrorIfExists)
        .parquet(directory.resolve(table).toString());
  }

  /** Makes every table of {@code directory} a view of its name. */
  public final void open(SparkSession spark, Path directory) {
    for (String table : tableNames()) {
      spark
          .read()
          .schema(tables.schema(table))
          .parquet(directory.resolve(table).toString())
          .createOrReplaceTempView(table);
    }
  }
}
