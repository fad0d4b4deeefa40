package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Common part of the {@code main} methods of drivers. */
final class DriverMain {
  private DriverMain() {}

  /** Work of a driver. */
  interface Work {
    /**
     * @param out stream for {@link DriverMessage}s
     */
    void run(SparkSession spark, DriverSettings settings, PrintStream out) throws Exception;
  }

  /**
   * Opens a session, runs the work, reports a failure, and exits.
   *
   * @param application name of the application
   * @param task name of the work for error messages
   * @param arguments the file of the driver's {@link DriverSettings}
   */
  static void run(String application, String task, String[] arguments, Work work) {
    DriverSettings settings = DriverSettings.read(Path.of(arguments[0]));
    PrintStream out = System.out;
    int exitCode = 0;
    try (SparkSession spark = SparkSessions.open(application, settings)) {
      work.run(spark, settings, out);
    } catch (Exception e) {
      e.printStackTrace();
      out.println(DriverMessage.Failed.of(task, e).line());
      exitCode = 1;
    }
    out.flush();
    System.exit(exitCode);
  }
}
