package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Generates the tables of a workload in its data directory, and exits. */
public final class DataDriver {
  private DataDriver() {}

  /**
   * Runs the driver.
   *
   * @param arguments the file of its {@link DriverSettings}
   */
  public static void main(String[] arguments) {
    DriverMain.run("sluice-demo-data", "data", arguments, DataDriver::generateTables);
  }

  private static void generateTables(SparkSession spark, DriverSettings settings, PrintStream out) {
    SparkWorkload workload = SparkWorkload.of(settings);
    int total = workload.totalParts(settings.scale());
    AtomicInteger done = new AtomicInteger();
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskEnd(SparkListenerTaskEnd end) {
                out.println(
                    new DriverMessage.Progress("data", done.incrementAndGet(), total).line());
              }
            });
    for (String table : workload.tableNames()) {
      workload.write(spark, table, settings.scale(), settings.dataDirectory());
    }
  }
}
