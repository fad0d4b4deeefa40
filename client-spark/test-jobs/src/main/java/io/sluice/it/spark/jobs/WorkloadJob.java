package io.sluice.it.spark.jobs;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.spark.RowText;
import io.sluice.demo.spark.SparkWorkload;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * TPC-H and TPC-DS. {@code tpch/data} creates the tables, {@code tpch/1} runs query 1, and {@code
 * tpch/broadcast/1} runs it so that adaptive execution converts joins to broadcast joins. The plan
 * is the final one, without numbers that differ from run to run.
 */
final class WorkloadJob implements Job {
  private static final String BROADCAST = "broadcast/";
  private static final String DIRECTORY = "spark.sluice.test.workload.directory";
  private static final String SCALE = "spark.sluice.test.workload.scale";
  private static final String QUERY_TEXTS = "spark.sluice.test.workload.query.texts";

  private final Workload workload;
  private final String what;

  private WorkloadJob(Workload workload, String what) {
    this.workload = workload;
    this.what = what;
  }

  /** The job for a name that begins with the name of a workload. */
  static Optional<Job> named(String name) {
    for (Workload workload : Workload.values()) {
      String prefix = workload + "/";
      if (name.startsWith(prefix)) {
        return Optional.of(new WorkloadJob(workload, name.substring(prefix.length())));
      }
    }
    return Optional.empty();
  }

  @Override
  public JobResult run(SparkSession spark, BufferedReader input) throws IOException {
    SparkConf conf = spark.sparkContext().getConf();
    Path directory = Path.of(conf.get(DIRECTORY));
    double scale = Double.parseDouble(conf.get(SCALE));
    SparkWorkload its =
        SparkWorkload.of(
            workload,
            conf.contains(QUERY_TEXTS)
                ? Optional.of(Path.of(conf.get(QUERY_TEXTS)))
                : Optional.empty());
    if (what.equals("data")) {
      for (String table : its.tableNames()) {
        its.write(spark, table, scale, directory);
      }
      return JobResult.ofOrdered(List.of());
    }
    its.open(spark, directory);
    if (!what.startsWith(BROADCAST)) {
      return query(spark, its.text(what, scale));
    }
    String text = its.text(what.substring(BROADCAST.length()), scale);
    return SqlJobs.with(
        spark,
        Map.of("spark.sql.adaptive.autoBroadcastJoinThreshold", "60k"),
        () -> query(spark, text));
  }

  private static JobResult query(SparkSession spark, String text) {
    Dataset<Row> result = spark.sql(text);
    List<String> rows = result.collectAsList().stream().map(RowText::line).toList();
    return JobResult.ofUnordered(rows)
        .withPlan(
            result
                .queryExecution()
                .executedPlan()
                .toString()
                .replaceAll("#\\d+L?", "#")
                .replaceAll("plan_id=\\d+", "plan_id")
                .replaceAll("QueryStage \\d+", "QueryStage")
                .replaceAll("\\*\\(\\d+\\)", "*"));
  }
}
