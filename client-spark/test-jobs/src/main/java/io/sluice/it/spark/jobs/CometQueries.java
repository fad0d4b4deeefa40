package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Queries for tests of Comet's exchanges. Rows of an RDD have a native exchange with {@code
 * spark.comet.sparkToColumnar.enabled}, and a columnar one without.
 */
final class CometQueries {
  private static final int MAPS = 6;
  private static final int REDUCES = 9;
  private static final int ROWS_OF_A_MAP = 20_000;
  private static final int LAST_ROW = ROWS_OF_A_MAP - 1;
  private static final int FAILING_MAP = 1;
  private static final int REPEATED_MAP = 3;
  private static final int MAPS_BEFORE_GATE = 2;
  private static final int ATTEMPTS = 2;
  private static final int CORES = 2;
  private static final long LARGE_ROWS = 1_500_000;

  /** Called in a map task before its last row. */
  private interface LastRow extends Serializable {
    void reached(TaskContext task);
  }

  private CometQueries() {}

  /**
   * If Spark speculates: one map task has two attempts, which continue together before their last
   * row, and another one has an attempt that fails there.
   */
  static JobResult speculatedQuery(SparkSession spark, BufferedReader input) throws IOException {
    boolean speculates = spark.sparkContext().getConf().getBoolean("spark.speculation", false);
    Gate together = Gate.create(GatedQueries.directory().resolve("speculated"));
    CompletableFuture<JobResult> rows =
        collect(
            spark,
            task -> {
              if (speculates && task.partitionId() == REPEATED_MAP) {
                together.pass();
              }
              if (speculates && task.partitionId() == FAILING_MAP && task.attemptNumber() == 0) {
                throw new IllegalStateException("expected failure of the first attempt");
              }
            });
    if (speculates) {
      together.awaitArrivals(ATTEMPTS, rows::isDone);
    }
    together.open();
    return rows.join();
  }

  /** Pauses as {@code last-row} when two map tasks are done and two have one row left. */
  static JobResult lastRowGate(SparkSession spark, BufferedReader input) throws IOException {
    Gate gate = Gate.create(GatedQueries.directory().resolve("last-row"));
    CompletableFuture<JobResult> rows =
        collect(
            spark,
            task -> {
              if (task.partitionId() >= MAPS_BEFORE_GATE) {
                gate.pass();
              }
            });
    gate.awaitArrivals(CORES, rows::isDone);
    Pause.untilResumed("pause:last-row", input);
    gate.open();
    return rows.join();
  }

  private static CompletableFuture<JobResult> collect(SparkSession spark, LastRow last) {
    JavaRDD<Row> rows =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
            .mapPartitionsWithIndex((map, ignored) -> rows(map, last, TaskContext.get()), true);
    StructType schema =
        new StructType()
            .add("id", DataTypes.LongType)
            .add("k", DataTypes.IntegerType)
            .add("s", DataTypes.StringType);
    Dataset<Row> result =
        spark
            .createDataFrame(rows, schema)
            .repartition(REDUCES, new Column("k"))
            .groupBy("k")
            .agg(functions.sum("id"), functions.max("s"));
    return CompletableFuture.supplyAsync(() -> SqlJobs.collect(result, false));
  }

  private static Iterator<Row> rows(int map, LastRow last, TaskContext task) {
    return IntStream.range(0, ROWS_OF_A_MAP)
        .mapToObj(
            index -> {
              if (index == LAST_ROW) {
                last.reached(task);
              }
              long id = (long) map * ROWS_OF_A_MAP + index;
              long mixed = id * 0x9E3779B97F4A7C15L;
              return RowFactory.create(
                  id, (int) (mixed >>> 40) % 1_000, "row-" + Long.toHexString(mixed));
            })
        .iterator();
  }

  /** A native exchange of about 50 MB, which do not compress. */
  static JobResult largeQuery(SparkSession spark, BufferedReader input) {
    String files = GatedQueries.directory().resolve("large").toString();
    spark
        .range(0, LARGE_ROWS, 1, MAPS)
        .selectExpr(
            "cast(pmod(xxhash64(id), 1000) as int) as k",
            "xxhash64(id, 1) as a",
            "xxhash64(id, 2) as b",
            "xxhash64(id, 3) as c",
            "xxhash64(id, 4) as d")
        .write()
        .mode("overwrite")
        .parquet(files);
    return GatedQueries.with(
        spark,
        () ->
            SqlJobs.collect(
                spark
                    .read()
                    .parquet(files)
                    .repartition(REDUCES, new Column("k"))
                    .groupBy("k")
                    .agg(
                        functions.max("a"),
                        functions.min("b"),
                        functions.max("c"),
                        functions.min("d")),
                false));
  }

  /** A range exchange with nine partitions, of which the sampled keys need three. */
  static JobResult sortOfFewKeys(SparkSession spark, BufferedReader input) {
    return GatedQueries.with(
        spark,
        () ->
            SqlJobs.collect(
                GatedQueries.table(spark).selectExpr("k % 3 as few", "s").orderBy("few"), false));
  }
}
