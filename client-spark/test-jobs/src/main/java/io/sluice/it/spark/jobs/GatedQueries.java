package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * Queries over a Parquet table of six files that pause while map tasks or reduce tasks run, so that
 * a test can change the cluster. With Comet, the first has a columnar exchange of rows, the second
 * a native one. The plan of the result is the final one.
 */
final class GatedQueries {
  private static final int FILES = 6;
  private static final int MAPS_BEFORE_GATE = 2;
  private static final int CORES = 2;
  private static final long ROWS = 120_000;

  /** One map task per file, and no broadcast or coalescing. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.files.maxPartitionBytes", "16m",
          "spark.sql.files.openCostInBytes", "16m",
          "spark.sql.adaptive.coalescePartitions.enabled", "false",
          "spark.sql.shuffle.partitions", "9");

  private GatedQueries() {}

  /** Pauses as {@code in-map} when two map tasks are done and two have read a row. */
  static JobResult mapGate(SparkSession spark, BufferedReader input) throws IOException {
    Gate gate = Gate.create(directory().resolve("in-map"));
    spark
        .udf()
        .register(
            "pass_gate",
            (UDF1<Long, Long>)
                id -> {
                  if (TaskContext.getPartitionId() >= MAPS_BEFORE_GATE) {
                    gate.pass();
                  }
                  return id;
                },
            DataTypes.LongType);
    return with(
        spark,
        () -> {
          Dataset<Row> result =
              table(spark)
                  .selectExpr("pass_gate(id) as id", "k", "s")
                  .repartition(9, new Column("k"))
                  .groupBy("k")
                  .agg(functions.sum("id"), functions.max("s"));
          CompletableFuture<JobResult> rows =
              CompletableFuture.supplyAsync(() -> SqlJobs.collect(result, false));
          gate.awaitArrivals(CORES, rows::isDone);
          pauseAndOpen("pause:in-map", gate, input);
          return rows.join();
        });
  }

  /** Pauses as {@code in-read} when two reduce tasks have read a row. */
  static JobResult readGate(SparkSession spark, BufferedReader input) throws IOException {
    Gate gate = Gate.create(directory().resolve("in-read"));
    return with(
        spark,
        () -> {
          Dataset<Row> shuffled = table(spark).repartition(9, new Column("k"));
          JavaFutureAction<List<String>> rows =
              shuffled
                  .toJavaRDD()
                  .mapPartitionsWithIndex((index, part) -> sums(index, part, gate), true)
                  .collectAsync();
          gate.awaitArrivals(CORES, rows::isDone);
          pauseAndOpen("pause:in-read", gate, input);
          return JobResult.ofUnordered(FaultJob.waitFor(rows))
              .withPlan(shuffled.queryExecution().executedPlan().toString());
        });
  }

  static Path directory() {
    return Paths.get(System.getProperty("java.io.tmpdir"), "gated");
  }

  /** Runs with one map task for each file, nine reduce tasks, and no coalescing. */
  static JobResult with(SparkSession spark, Supplier<JobResult> job) {
    return SqlJobs.with(spark, SETTINGS, job);
  }

  /** The table, written again. */
  static Dataset<Row> table(SparkSession spark) {
    String files = directory().resolve("table").toString();
    spark
        .range(0, ROWS, 1, FILES)
        .selectExpr(
            "id",
            "cast(pmod(xxhash64(id), 1000) as int) as k",
            "concat('row-', hex(xxhash64(id, 9))) as s")
        .write()
        .mode("overwrite")
        .parquet(files);
    return spark.read().parquet(files);
  }

  private static void pauseAndOpen(String name, Gate gate, BufferedReader input) {
    try {
      Pause.untilResumed(name, input);
      gate.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Iterator<String> sums(int index, Iterator<Row> rows, Gate begun) {
    long count = 0;
    long sum = 0;
    while (rows.hasNext()) {
      Row row = rows.next();
      sum += row.getLong(0) * 31 + row.getInt(1) + row.getString(2).hashCode();
      if (count == 0) {
        begun.pass();
      }
      count++;
    }
    return Collections.singletonList(index + ":" + count + ":" + sum).iterator();
  }
}
