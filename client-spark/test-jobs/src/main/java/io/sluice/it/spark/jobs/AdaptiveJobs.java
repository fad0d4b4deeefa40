package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Queries whose plans adaptive execution changes at run time, based on completed shuffles. */
final class AdaptiveJobs {
  private static final int MAPS = 16;
  private static final String BROADCAST_NEVER = "-1";

  private AdaptiveJobs() {}

  private static Dataset<Row> rows(SparkSession spark, long count, int keys) {
    return spark
        .range(0, count, 1, MAPS)
        .withColumn("k", functions.expr("cast(pmod(xxhash64(id), " + keys + ") as int)"))
        .withColumn("v", functions.expr("pmod(xxhash64(id, 7), 1000003)"))
        .withColumn("s", functions.expr("concat('row-', hex(xxhash64(id, 9)))"));
  }

  private static Map<String, String> adaptive(String... more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("spark.sql.adaptive.enabled", "true");
    settings.put("spark.sql.autoBroadcastJoinThreshold", BROADCAST_NEVER);
    settings.put("spark.sql.adaptive.autoBroadcastJoinThreshold", BROADCAST_NEVER);
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  /** One partition with three quarters of the data, read in about one slice per map. */
  static JobResult manySplits(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive(
            "spark.sql.shuffle.partitions", "12",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "300k",
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "600k",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2"),
        () -> {
          Dataset<Row> skewed =
              rows(spark, 240_000, 1_000)
                  .withColumn("j", functions.expr("if(id % 4 = 0, k, 7)"))
                  .as("a");
          Dataset<Row> even = rows(spark, 2_000, 1_000).as("b");
          return SqlJobs.collect(
              skewed
                  .join(even, functions.expr("a.j = b.k"))
                  .groupBy(functions.expr("a.id % 100"))
                  .agg(functions.sum("a.v"), functions.count("a.id"), functions.max("a.s")),
              false);
        });
  }

  /** A hint that requests partitions of equal size: the large one is split. */
  static JobResult rebalanced(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive(
            "spark.sql.shuffle.partitions", "10",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "200k",
            "spark.sql.adaptive.coalescePartitions.parallelismFirst", "false"),
        () -> {
          rows(spark, 160_000, 1_000)
              .withColumn("j", functions.expr("if(id % 4 = 0, k, 7)"))
              .createOrReplaceTempView("uneven");
          return SqlJobs.collect(
              spark.sql("select /*+ REBALANCE(j) */ id, j, s from uneven"), false);
        });
  }

  /**
   * The REBALANCE hint without a column: a round-robin distribution with nondeterministic row
   * order.
   */
  static JobResult rebalancedRoundRobin(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive("spark.sql.shuffle.partitions", "10"),
        () -> {
          rows(spark, 30_000, 1_000).createOrReplaceTempView("even");
          return SqlJobs.collect(spark.sql("select /*+ REBALANCE */ id, k from even"), false);
        });
  }

  static JobResult repartitionHints(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive(),
        () -> {
          rows(spark, 30_000, 500).createOrReplaceTempView("hinted");
          return SqlJobs.collect(
              spark
                  .sql(
                      "select /*+ REPARTITION(7, k) */ id, k, s, spark_partition_id() as p"
                          + " from hinted")
                  .union(
                      spark.sql(
                          "select /*+ REPARTITION_BY_RANGE(5, v) */ id, k, s,"
                              + " spark_partition_id() as p from hinted"))
                  .union(
                      spark.sql(
                          "select /*+ REPARTITION(6) */ id, k, s, 0 as p from hinted"
                              + " where id % 2 = 0"))
                  .union(
                      spark.sql(
                          "select /*+ COALESCE(3) */ k as id, count(*) as k, max(s) as s, 0 as p"
                              + " from hinted group by k"))
                  .selectExpr("id", "k", "s"),
              false);
        });
  }

  /** Dynamic partition pruning: skips files of a fact table that the join does not need. */
  static JobResult prunedPartitions(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive(
            "spark.sql.autoBroadcastJoinThreshold", "10m",
            "spark.sql.adaptive.autoBroadcastJoinThreshold", "10m",
            "spark.sql.shuffle.partitions", "9"),
        () -> {
          rows(spark, 40_000, 20)
              .repartition(functions.col("k"))
              .write()
              .mode("overwrite")
              .partitionBy("k")
              .saveAsTable("facts");
          spark
              .range(20)
              .selectExpr("cast(id as int) as k", "concat('name-', id % 7) as name")
              .write()
              .mode("overwrite")
              .saveAsTable("names");
          return SqlJobs.collect(
              spark.sql(
                  "select n.name, f.k, count(*), sum(f.v) from facts f join names n on f.k = n.k"
                      + " where n.name = 'name-3' group by n.name, f.k"),
              false);
        });
  }

  /** Three tables of known size: Spark starts with the join with the smallest result. */
  static JobResult reorderedJoins(SparkSession spark, BufferedReader input) {
    return SqlJobs.with(
        spark,
        adaptive(
            "spark.sql.cbo.enabled", "true",
            "spark.sql.cbo.joinReorder.enabled", "true",
            "spark.sql.cbo.planStats.enabled", "true",
            "spark.sql.shuffle.partitions", "8"),
        () -> {
          rows(spark, 40_000, 4_000).write().mode("overwrite").saveAsTable("orders");
          rows(spark, 8_000, 4_000).write().mode("overwrite").saveAsTable("customers");
          spark.range(40).selectExpr("cast(id as int) as r").write().saveAsTable("regions");
          for (String table : new String[] {"orders", "customers", "regions"}) {
            spark.sql("analyze table " + table + " compute statistics for all columns");
          }
          return SqlJobs.collect(
              spark.sql(
                  "select o.id, c.id, r.r from orders o join customers c on o.k = c.k"
                      + " join regions r on c.v = r.r where o.v % 2 = 0"),
              false);
        });
  }

  /** A sort-merge join whose one side is small at run time. */
  private static JobResult becomesBroadcast(SparkSession spark, String localReader) {
    return SqlJobs.with(
        spark,
        adaptive(
            "spark.sql.adaptive.localShuffleReader.enabled", localReader,
            "spark.sql.adaptive.autoBroadcastJoinThreshold", "10m",
            "spark.sql.shuffle.partitions", "50"),
        () -> {
          Dataset<Row> large = rows(spark, 160_000, 20_000).as("a");
          Dataset<Row> small = rows(spark, 20_000, 2_000).filter("v % 50 = 3").as("b");
          return SqlJobs.collect(
              large
                  .join(small, functions.expr("a.k = b.k"))
                  .groupBy(functions.expr("b.id % 100"))
                  .agg(functions.sum("a.v"), functions.count("a.id"), functions.max("a.s")),
              false);
        });
  }

  static JobResult broadcastAfterShuffle(SparkSession spark, BufferedReader input) {
    return becomesBroadcast(spark, "false");
  }

  static JobResult broadcastAfterShuffleLocalRead(SparkSession spark, BufferedReader input) {
    return becomesBroadcast(spark, "true");
  }
}
