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

/** A workload on Spark: Parquet tables, one directory each, and the texts of the queries. */
public abstract class SparkWorkload {
  private final Tables tables;

  SparkWorkload(Tables tables) {
    this.tables = tables;
  }

  /**
   * @param queryTexts jar of Spark's tests with the queries of TPC-DS
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
   * Text of a query in Spark SQL.
   *
   * @param query one of {@link Workload#queries}
   * @param scale scale factor of the data
   */
  public abstract String text(String query, double scale) throws IOException;

  /**
   * Warm-up query that joins, sorts and aggregates two small tables with shuffles. It keeps
   * one-time costs, such as class loading and connecting, out of the first measured query.
   */
  abstract String warmUp();

  public final List<String> tableNames() {
    return tables.names();
  }

  /** Number of tasks that {@link #write} runs for all tables. */
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

  /** Creates a temporary view for every table in {@code directory}. */
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
