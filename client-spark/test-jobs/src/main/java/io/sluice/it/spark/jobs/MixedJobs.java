package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/**
 * Stages that read shuffles together with partitions that have a preferred location: cached and
 * checkpointed ones. Shuffles have few map tasks, so that each output is a large share of each
 * partition.
 */
final class MixedJobs {
  private static final int FEW_MAPS = 2;
  private static final int PARTITIONS = 5;

  private MixedJobs() {}

  private static JavaPairRDD<Integer, String> fewMaps(SparkSession spark) {
    return RddJobs.pairs(spark, 12_000, 900).coalesce(FEW_MAPS);
  }

  private static JavaPairRDD<Integer, String> shuffled(SparkSession spark) {
    return fewMaps(spark).partitionBy(new HashPartitioner(PARTITIONS));
  }

  private static Dataset<Row> rows(SparkSession spark, long count, int maps) {
    return spark
        .range(0, count, 1, maps)
        .selectExpr(
            "id",
            "cast(pmod(xxhash64(id), 800) as int) as k",
            "pmod(xxhash64(id, 7), 1000003) as v",
            "if(id % 3 = 0, 7, cast(pmod(xxhash64(id), 800) as int)) as j");
  }

  /** Runs with adaptive execution and without static broadcasts. */
  private static JobResult adaptive(
      SparkSession spark, Map<String, String> more, Supplier<Dataset<Row>> job) {
    Map<String, String> settings = new HashMap<>();
    settings.put("spark.sql.adaptive.enabled", "true");
    settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    settings.put("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");
    settings.put("spark.sql.shuffle.partitions", "6");
    settings.putAll(more);
    return SqlJobs.with(spark, settings, () -> SqlJobs.collect(job.get(), false));
  }

  private static JobResult besideCached(
      SparkSession spark, Map<String, String> settings, Supplier<Dataset<Row>> other) {
    Dataset<Row> cached = rows(spark, 8_000, 4).select("id", "v").persist();
    try {
      cached.count();
      return adaptive(spark, settings, () -> cached.union(other.get()));
    } finally {
      cached.unpersist(true);
    }
  }

  static JobResult cachedUnion(SparkSession spark, BufferedReader input) {
    return besideCached(
        spark,
        Map.of(),
        () -> rows(spark, 30_000, FEW_MAPS).groupBy("k").agg(functions.sum("v").as("v")));
  }

  /** The cached table has the partitioning of the join: only the other one is shuffled. */
  static JobResult cachedJoin(SparkSession spark, BufferedReader input) {
    Dataset<Row> cached =
        rows(spark, 4_000, 3)
            .repartition(6, functions.col("k"))
            .persist(StorageLevel.MEMORY_ONLY());
    try {
      cached.count();
      return adaptive(
          spark,
          Map.of("spark.sql.adaptive.coalescePartitions.enabled", "false"),
          () ->
              cached
                  .as("a")
                  .join(rows(spark, 3_000, FEW_MAPS).as("b"), functions.expr("a.k = b.k"))
                  .selectExpr("a.id", "b.id", "a.v + b.v"));
    } finally {
      cached.unpersist(true);
    }
  }

  /** Skewed partitions, split by map tasks. */
  static JobResult cachedBesideSkewSplits(SparkSession spark, BufferedReader input) {
    return besideCached(
        spark,
        Map.of(
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "50k",
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "100k",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2"),
        () ->
            rows(spark, 90_000, 12)
                .as("a")
                .join(rows(spark, 400, 2).as("b"), functions.expr("a.j = b.k"))
                .selectExpr("a.id", "b.v"));
  }

  /** A join that becomes a broadcast join, read by map task. */
  static JobResult cachedBesideLocalReads(SparkSession spark, BufferedReader input) {
    return besideCached(
        spark,
        Map.of(
            "spark.sql.adaptive.localShuffleReader.enabled", "true",
            "spark.sql.adaptive.autoBroadcastJoinThreshold", "10m"),
        () ->
            rows(spark, 30_000, 12)
                .as("a")
                .join(
                    rows(spark, 9_000, 3).filter("v % 50 = 3").as("b"), functions.expr("a.k = b.k"))
                .selectExpr("a.id", "b.v"));
  }

  /** A completed shuffle that was cleaned up and is recomputed together with cached partitions. */
  static JobResult cachedBesideCleaned(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, String> cached = RddJobs.pairs(spark, 6_000, 300).cache();
    try {
      cached.count();
      JavaPairRDD<Integer, String> shuffled = shuffled(spark);
      shuffled.count();
      shuffled.rdd().cleanShuffleDependencies(true);
      return result(cached.union(shuffled));
    } finally {
      cached.unpersist(true);
    }
  }

  static JobResult cachedRddUnion(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, String> cached = RddJobs.pairs(spark, 6_000, 300).cache();
    try {
      cached.count();
      return result(cached.union(shuffled(spark)));
    } finally {
      cached.unpersist(true);
    }
  }

  static JobResult checkpointedUnion(SparkSession spark, BufferedReader input) throws IOException {
    spark
        .sparkContext()
        .setCheckpointDir(Files.createTempDirectory("checkpoints").toUri().toString());
    JavaPairRDD<Integer, String> reliable = shuffled(spark);
    reliable.checkpoint();
    reliable.count();
    JavaRDD<Tuple2<Integer, String>> local = shuffled(spark).map(pair -> pair);
    local.rdd().localCheckpoint();
    local.count();
    return result(reliable.union(JavaPairRDD.fromJavaRDD(local)).union(shuffled(spark)));
  }

  static JobResult union(SparkSession spark, BufferedReader input) {
    return result(shuffled(spark).union(shuffled(spark).mapValues(text -> text + "!")));
  }

  static JobResult zipped(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, String> cached = shuffled(spark).cache();
    try {
      long all = cached.count();
      JavaRDD<Long> sizes = cached.mapPartitions(records -> List.of(count(records)).iterator());
      JavaRDD<Integer> firsts =
          shuffled(spark)
              .repartition(cached.getNumPartitions())
              .mapPartitions(records -> List.of((int) Math.min(1, count(records))).iterator());
      List<String> found = new ArrayList<>(List.of("all " + all));
      sizes.zip(firsts).collect().forEach(pair -> found.add(pair._1() + ":" + pair._2()));
      return JobResult.ofOrdered(found);
    } finally {
      cached.unpersist(true);
    }
  }

  private static long count(Iterator<?> records) {
    long count = 0;
    while (records.hasNext()) {
      records.next();
      count++;
    }
    return count;
  }

  static JobResult repartitionAndSort(SparkSession spark, BufferedReader input) {
    return JobResult.ofOrdered(
        fewMaps(spark)
            .repartitionAndSortWithinPartitions(
                new HashPartitioner(PARTITIONS), Comparator.reverseOrder())
            .map(pair -> TaskContext.getPartitionId() + ":" + pair._1())
            .collect());
  }

  /** Counts records in a map stage and in a result stage. */
  static JobResult accumulators(SparkSession spark, BufferedReader input) {
    LongAccumulator written = spark.sparkContext().longAccumulator("written");
    LongAccumulator read = spark.sparkContext().longAccumulator("read");
    fewMaps(spark)
        .mapToPair(
            pair -> {
              written.add(1);
              return pair;
            })
        .partitionBy(new HashPartitioner(PARTITIONS))
        .foreach(pair -> read.add(pair._2().length()));
    return JobResult.ofOrdered(List.of("written " + written.value(), "read " + read.value()));
  }

  /** The first attempt of one map task and of one result task fails after its last record. */
  static JobResult failingTasks(SparkSession spark, BufferedReader input) {
    return result(
        JavaPairRDD.fromJavaRDD(
            failingOnce(
                JavaPairRDD.fromJavaRDD(failingOnce(fewMaps(spark)))
                    .partitionBy(new HashPartitioner(PARTITIONS)))));
  }

  private static JavaRDD<Tuple2<Integer, String>> failingOnce(JavaPairRDD<Integer, String> pairs) {
    return pairs.mapPartitions(
        records -> {
          List<Tuple2<Integer, String>> all = new ArrayList<>();
          records.forEachRemaining(all::add);
          TaskContext task = TaskContext.get();
          if (task.partitionId() == 1 && task.attemptNumber() == 0) {
            throw new IllegalStateException("expected failure of the first attempt of this task");
          }
          return all.iterator();
        });
  }

  private static JobResult result(JavaPairRDD<Integer, String> pairs) {
    return JobResult.ofUnordered(pairs.map(pair -> pair._1() + ":" + pair._2()).collect());
  }
}
