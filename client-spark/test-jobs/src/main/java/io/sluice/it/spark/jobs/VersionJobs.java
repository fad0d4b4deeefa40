package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Jobs for features that differ between Spark versions. */
final class VersionJobs {
  private static final String ROW_CHECKSUMS = "spark.sql.shuffle.orderIndependentChecksum.enabled";
  private static final String ADAPTIVE = "spark.sql.adaptive.enabled";
  private static final int MOST_SHUFFLES = 10_000;

  private VersionJobs() {}

  /** Settings of the shuffle manager as seen by driver and executors; as text instead of a plan. */
  static JobResult settings(SparkSession spark, BufferedReader input) {
    SparkConf conf = spark.sparkContext().getConf();
    List<String> found = new ArrayList<>();
    found.add(
        "session localReader="
            + spark.conf().get("spark.sql.adaptive.localShuffleReader.enabled", "unset"));
    found.add(
        "driver reliable="
            + reliableStorage(spark)
            + " tracking="
            + conf.get("spark.dynamicAllocation.shuffleTracking.enabled", "unset")
            + " wholeHost="
            + conf.get("spark.files.fetchFailure.unRegisterOutputOnHost", "unset"));
    found.addAll(
        new TreeSet<>(
            JavaSparkContext.fromSparkContext(spark.sparkContext())
                .parallelize(IntStream.range(0, 4).boxed().toList(), 4)
                .map(
                    i ->
                        "executor manager="
                            + SparkEnv.get().shuffleManager().getClass().getSimpleName()
                            + " io="
                            + SparkEnv.get()
                                .conf()
                                .get("spark.shuffle.sort.io.plugin.class", "unset"))
                .collect()));
    return JobResult.ofOrdered(List.of()).withPlan(String.join("; ", found));
  }

  /** Whether shuffle data survives executors; Spark asks for it from 3.5 on. */
  private static Object reliableStorage(SparkSession spark) {
    ShuffleDriverComponents components = spark.sparkContext().shuffleDriverComponents();
    try {
      return ShuffleDriverComponents.class.getMethod("supportsReliableStorage").invoke(components);
    } catch (NoSuchMethodException e) {
      return "none";
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot ask for reliable storage", e);
    }
  }

  /** The checksums over their records that map tasks report, from Spark 4.1 on. */
  static JobResult rowChecksums(SparkSession spark, BufferedReader input) {
    spark.conf().set(ROW_CHECKSUMS, "true");
    spark.conf().set(ADAPTIVE, "false");
    try {
      Dataset<Row> rows = spark.range(0, 5_000, 1, 3).selectExpr("id", "id % 7 as k");
      List<String> found = new ArrayList<>();
      found.add("rows " + rows.repartition(5).collectAsList().size());
      found.addAll(lastChecksums());
      found.add("groups " + rows.groupBy("k").count().collectAsList().size());
      found.addAll(lastChecksums());
      return JobResult.ofOrdered(found).withPlan(String.join(" ", found));
    } finally {
      spark.conf().unset(ROW_CHECKSUMS);
      spark.conf().unset(ADAPTIVE);
    }
  }

  private static List<String> lastChecksums() {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    int last = IntStream.range(0, MOST_SHUFFLES).filter(tracker::containsShuffle).max().getAsInt();
    List<String> found = new ArrayList<>();
    for (MapStatus status : tracker.shuffleStatuses().get(last).get().mapStatuses()) {
      found.add("checksum=" + checksum(status));
    }
    return found;
  }

  private static Object checksum(MapStatus status) {
    try {
      return MapStatus.class.getMethod("checksumValue").invoke(status);
    } catch (NoSuchMethodException e) {
      return "none";
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read the checksum of a map status", e);
    }
  }
}
