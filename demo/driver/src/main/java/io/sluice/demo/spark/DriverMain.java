package io.sluice.demo.spark;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** What every driver's {@code main} does around its work. */
final class DriverMain {
  private DriverMain() {}

  /** The work of a driver. */
  interface Work {
    /**
     * @param out where {@link DriverMessage}s go
     */
    void run(SparkSession spark, DriverSettings settings, PrintStream out) throws Exception;
  }

  /**
   * Opens a session, works, tells of a failure, and ends the process.
   *
   * @param application its name
   * @param what the work, in a message that it failed
   * @param arguments the file of the driver's {@link DriverSettings}
   */
  static void run(String application, String what, String[] arguments, Work work) {
    DriverSettings settings = DriverSettings.read(Path.of(arguments[0]));
    PrintStream out = System.out;
    int exitCode = 0;
    try (SparkSession spark = SparkSessions.open(application, settings)) {
      work.run(spark, settings, out);
    } catch (Exception e) {
      e.printStackTrace();
      out.println(DriverMessage.Failed.of(what, e).line());
      exitCode = 1;
    }
    out.flush();
    System.exit(exitCode);
  }
}
