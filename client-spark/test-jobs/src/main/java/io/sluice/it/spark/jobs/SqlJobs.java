package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.functions;

/** Jobs over data frames, with their adaptive plans. */
final class SqlJobs {
  private SqlJobs() {}

  private static Dataset<Row> rows(SparkSession spark, long count, int keys) {
    return spark
        .range(0, count, 1, 6)
        .withColumn("k", functions.expr("cast(pmod(xxhash64(id), " + keys + ") as int)"))
        .withColumn("v", functions.expr("pmod(xxhash64(id, 7), 1000003)"))
        .withColumn("s", functions.expr("concat('row-', hex(xxhash64(id, 9)))"));
  }

  static JobResult collect(Dataset<Row> result, boolean ordered) {
    List<String> rows = new ArrayList<>();
    for (Row row : result.collectAsList()) {
      rows.add(row.toString());
    }
    // After collecting, the plan is final.
    String plan = result.queryExecution().executedPlan().toString();
    JobResult all = ordered ? JobResult.ofOrdered(rows) : JobResult.ofUnordered(rows);
    return all.withPlan(plan);
  }

  /** Runs with changed session settings, and restores them. */
  static JobResult with(SparkSession spark, Map<String, String> settings, Supplier<JobResult> job) {
    scala.collection.immutable.Map<String, String> before = spark.conf().getAll();
    settings.forEach((key, value) -> spark.conf().set(key, value));
    try {
      return job.get();
    } finally {
      for (String key : settings.keySet()) {
        if (before.get(key).isDefined()) {
          spark.conf().set(key, before.get(key).get());
        } else {
          spark.conf().unset(key);
        }
      }
    }
  }

  static JobResult aggregate(SparkSession spark, BufferedReader input) {
    return collect(
        rows(spark, 200_000, 5_000)
            .groupBy("k")
            .agg(functions.sum("v"), functions.countDistinct("s"), functions.max("s")),
        false);
  }

  /** Aggregates whose results depend on the order of the rows that a reduce task reads. */
  static JobResult orderSensitive(SparkSession spark, BufferedReader input) {
    return collect(
        rows(spark, 100_000, 500)
            .groupBy("k")
            .agg(
                functions.sum(functions.sqrt("v")),
                functions.avg(functions.sqrt("id")),
                functions.first("s"),
                functions.last("s"),
                functions.hash(functions.collect_list("s"))),
        false);
  }

  static JobResult join(SparkSession spark, BufferedReader input) {
    Dataset<Row> left = rows(spark, 60_000, 3_000).as("a");
    Dataset<Row> right = rows(spark, 9_000, 4_000).as("b");
    return collect(
        left.join(right, functions.expr("a.k = b.k and a.id < b.v"))
            .selectExpr("a.id", "b.id", "a.s", "b.v"),
        false);
  }

  static JobResult window(SparkSession spark, BufferedReader input) {
    return collect(
        rows(spark, 40_000, 300)
            .withColumn(
                "position",
                functions.row_number().over(Window.partitionBy("k").orderBy("v", "id"))),
        false);
  }

  static JobResult rangeSort(SparkSession spark, BufferedReader input) {
    return collect(rows(spark, 50_000, 100).orderBy("v", "id"), true);
  }

  /** 20,000 partitions, which adaptive execution coalesces to a few large ones. */
  static JobResult coalesced(SparkSession spark, BufferedReader input) {
    return with(
        spark,
        Map.of("spark.sql.adaptive.enabled", "true", "spark.sql.shuffle.partitions", "20000"),
        () -> collect(rows(spark, 60_000, 40_000).groupBy("k").agg(functions.sum("v")), false));
  }

  static JobResult skewJoin(SparkSession spark, BufferedReader input) {
    return with(
        spark,
        Map.of(
            "spark.sql.adaptive.enabled", "true",
            "spark.sql.autoBroadcastJoinThreshold", "-1",
            "spark.sql.shuffle.partitions", "12",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "200k",
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "400k",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2"),
        () -> {
          Dataset<Row> skewed =
              rows(spark, 150_000, 1_000)
                  .withColumn("j", functions.expr("if(id % 3 = 0, 7, k)"))
                  .as("a");
          Dataset<Row> even = rows(spark, 3_000, 1_000).as("b");
          return collect(
              skewed
                  .join(even, functions.expr("a.j = b.k"))
                  .groupBy(functions.expr("a.id % 100"))
                  .agg(functions.sum("a.v"), functions.count("a.id"), functions.max("a.s")),
              false);
        });
  }

  /** A sort-merge join that becomes a broadcast join with a local reader, which reads by map. */
  static JobResult localReader(SparkSession spark, BufferedReader input) {
    return with(
        spark,
        Map.of(
            "spark.sql.adaptive.enabled", "true",
            "spark.sql.adaptive.localShuffleReader.enabled", "true",
            "spark.sql.autoBroadcastJoinThreshold", "-1",
            "spark.sql.adaptive.autoBroadcastJoinThreshold", "10m",
            "spark.sql.shuffle.partitions", "11"),
        () -> {
          Dataset<Row> large = rows(spark, 80_000, 2_000).as("a");
          Dataset<Row> small = rows(spark, 20_000, 2_000).filter("v % 50 = 3").as("b");
          return collect(
              large.join(small, functions.expr("a.k = b.k")).selectExpr("a.id", "b.id", "a.v"),
              false);
        });
  }

  static JobResult notAdaptive(SparkSession spark, BufferedReader input) {
    return with(
        spark,
        Map.of("spark.sql.adaptive.enabled", "false", "spark.sql.shuffle.partitions", "37"),
        () ->
            collect(
                rows(spark, 100_000, 3_000)
                    .groupBy("k")
                    .agg(functions.collect_set("v").as("c"))
                    .selectExpr("k", "size(c)", "array_max(c)"),
                false));
  }

  /**
   * Queries whose data frames are forgotten, and one whose data frame is collected again after a
   * pause: Spark then skips its map tasks if their output still exists.
   */
  static JobResult keptDataFrame(SparkSession spark, BufferedReader input) throws IOException {
    List<String> rows = new ArrayList<>();
    for (int keys = 300; keys < 303; keys++) {
      rows.addAll(texts(sums(spark, keys)));
    }
    Dataset<Row> kept = sums(spark, 500);
    rows.addAll(texts(kept));
    Pause.untilResumed("pause:idle", input);
    rows.addAll(texts(kept));
    return JobResult.ofUnordered(rows);
  }

  /**
   * A data frame with two shuffles, one after the other, that is collected again after a pause.
   * Each partition of both has rows, so each server that has partitions has data.
   */
  static JobResult keptChain(SparkSession spark, BufferedReader input) throws IOException {
    Dataset<Row> kept =
        sums(spark, 500)
            .selectExpr("k % 97 as g", "`sum(v)` as s")
            .groupBy("g")
            .agg(functions.sum("s"));
    List<String> rows = new ArrayList<>(texts(kept));
    Pause.untilResumed("pause:idle", input);
    rows.addAll(texts(kept));
    return JobResult.ofUnordered(rows);
  }

  /** A shuffle with two readers, of which the second one waits for a shuffle of the first one. */
  static JobResult reusedExchange(SparkSession spark, BufferedReader input) {
    return with(
        spark,
        Map.of("spark.sql.autoBroadcastJoinThreshold", "-1"),
        () -> {
          sums(spark, 500).selectExpr("k", "`sum(v)` as s").createOrReplaceTempView("sums");
          return collect(
              spark.sql(
                  "select a.k, a.s, b.s from sums a join"
                      + " (select cast(s % 100 as int) as k, sum(s) as s from sums group by 1) b"
                      + " on a.k = b.k"),
              false);
        });
  }

  private static Dataset<Row> sums(SparkSession spark, int keys) {
    return rows(spark, 20_000, keys).groupBy("k").agg(functions.sum("v"));
  }

  private static List<String> texts(Dataset<Row> result) {
    return result.collectAsList().stream().map(Row::toString).toList();
  }
}
