package io.sluice.it.spark.jobs;

import io.sluice.demo.spark.TpchQueries;
import io.sluice.demo.spark.TpchTables;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/**
 * TPC-H: {@code tpch/data} makes the tables, {@code tpch/1} runs query 1, {@code tpch/broadcast/1}
 * runs it so that adaptive execution makes broadcast joins of others. The plan of a query is the
 * one that it ended with, without the numbers that differ from run to run.
 */
final class TpchJob implements Job {
  static final String PREFIX = "tpch/";

  private static final String BROADCAST = "broadcast/";
  private static final String DIRECTORY = "spark.sluice.test.tpch.directory";
  private static final String SCALE = "spark.sluice.test.tpch.scale";

  private final String what;

  TpchJob(String name) {
    this.what = name.substring(PREFIX.length());
  }

  @Override
  public JobResult run(SparkSession spark, BufferedReader input) {
    Path directory = Path.of(spark.sparkContext().getConf().get(DIRECTORY));
    double scale = Double.parseDouble(spark.sparkContext().getConf().get(SCALE));
    if (what.equals("data")) {
      for (String table : TpchTables.names()) {
        TpchTables.write(spark, table, scale, directory);
      }
      return JobResult.ofOrdered(List.of());
    }
    TpchTables.open(spark, directory);
    return what.startsWith(BROADCAST)
        ? SqlJobs.with(
            spark,
            Map.of("spark.sql.adaptive.autoBroadcastJoinThreshold", "60k"),
            () -> query(spark, what.substring(BROADCAST.length()), scale))
        : query(spark, what, scale);
  }

  private static JobResult query(SparkSession spark, String number, double scale) {
    JobResult result =
        SqlJobs.collect(spark.sql(TpchQueries.text(Integer.parseInt(number), scale)), true);
    return result.withPlan(
        result
            .plan()
            .replaceAll("#\\d+L?", "#")
            .replaceAll("plan_id=\\d+", "plan_id")
            .replaceAll("QueryStage \\d+", "QueryStage")
            .replaceAll("\\*\\(\\d+\\)", "*"));
  }
}
