package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Makes the tables of TPC-H in the data directory of its settings, and ends. */
public final class DataDriver {
  private DataDriver() {}

  /**
   * Runs the driver.
   *
   * @param arguments the file of its {@link DriverSettings}
   */
  public static void main(String[] arguments) {
    DriverSettings settings = DriverSettings.read(Path.of(arguments[0]));
    PrintStream out = System.out;
    int exitCode = 0;
    try (SparkSession spark = SparkSessions.open("sluice-demo-data", settings)) {
      int total = TpchTables.totalParts(settings.scale());
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
      for (String table : TpchTables.names()) {
        TpchTables.write(spark, table, settings.scale(), settings.dataDirectory());
      }
    } catch (Exception e) {
      e.printStackTrace();
      out.println(new DriverMessage.Failed("data", String.valueOf(e.getMessage())).line());
      exitCode = 1;
    }
    out.flush();
    System.exit(exitCode);
  }
}
