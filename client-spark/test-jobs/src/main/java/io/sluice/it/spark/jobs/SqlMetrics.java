package io.sluice.it.spark.jobs;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.util.QueryExecutionListener;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Sums all SQL metrics of the operators of executed plans in this Spark version: {@code
 * sql.Exchange.dataSize} with its value and type, separated by a space. Thread-safe.
 */
final class SqlMetrics implements QueryExecutionListener {
  private final Map<String, Long> sums = new TreeMap<>();
  private final Map<String, String> types = new TreeMap<>();

  synchronized void reset() {
    sums.clear();
    types.clear();
  }

  @Override
  public synchronized void onSuccess(String name, QueryExecution query, long nanos) {
    add(query.executedPlan());
  }

  @Override
  public void onFailure(String name, QueryExecution query, Exception failure) {}

  private void add(SparkPlan plan) {
    plan.foreach(
        new AbstractFunction1<>() {
          @Override
          public BoxedUnit apply(SparkPlan node) {
            addNode(node);
            return BoxedUnit.UNIT;
          }
        });
  }

  private void addNode(SparkPlan node) {
    Iterator<Tuple2<String, SQLMetric>> metrics = node.metrics().iterator();
    while (metrics.hasNext()) {
      Tuple2<String, SQLMetric> metric = metrics.next();
      String name = node.getClass().getSimpleName().replaceFirst("Exec$", "") + "." + metric._1();
      // -1: no task has set the value.
      sums.merge(name, Math.max(0, metric._2().value()), Long::sum);
      types.put(name, metric._2().metricType());
    }
    if (node instanceof AdaptiveSparkPlanExec adaptive) {
      add(adaptive.executedPlan());
    } else if (node instanceof QueryStageExec stage) {
      add(stage.plan());
    }
  }

  synchronized void report(String job, Properties into) {
    sums.forEach(
        (name, sum) -> into.setProperty(job + ".sql." + name, sum + " " + types.get(name)));
  }
}
