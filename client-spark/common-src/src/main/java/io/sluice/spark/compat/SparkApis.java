package io.sluice.spark.compat;

import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.package$;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import scala.util.Properties$;

/** Selects the {@link SparkApi} for the Spark version of this process. */
public final class SparkApis {
  /** Present in Spark 4.1 and later, which need {@link #ROW_CHECKSUM_API}. */
  private static final String ROW_CHECKSUM = "org.apache.spark.shuffle.checksum.RowBasedChecksum";

  private static final String ROW_CHECKSUM_API = "io.sluice.spark.compat.RowChecksumApi";

  /** Present in Spark 3.4 and later. */
  private static final String REQUEST_METRIC = "incRemoteReqsDuration";

  /** Why this jar does not run in this process; empty if it does. */
  private static final Optional<String> PROBLEM =
      ClientJar.current()
          .problem(
              package$.MODULE$.SPARK_VERSION(),
              Properties$.MODULE$.versionNumberString(),
              System.getProperty("java.specification.version"));

  /** Null if this jar does not support the Spark version. */
  private static final SparkApi CURRENT =
      PROBLEM.isPresent()
          ? null
          : find(SparkApis.class.getClassLoader(), ROW_CHECKSUM, ROW_CHECKSUM_API);

  private SparkApis() {}

  /**
   * The API for the Spark version of this process.
   *
   * @throws IllegalStateException if this jar is for another version of Spark or Scala
   */
  public static SparkApi current() {
    if (CURRENT == null) {
      throw new IllegalStateException(
          PROBLEM.orElse("internal error: no " + ROW_CHECKSUM_API + " in this client jar"));
    }
    return CURRENT;
  }

  /**
   * Selects an implementation; null if Spark has the class {@code mark} but this jar lacks {@code
   * newer}.
   *
   * @param mark name of a class that only newer Spark versions have
   * @param newer class name of the implementation for newer Spark versions
   */
  static SparkApi find(ClassLoader loader, String mark, String newer) {
    if (!has(loader, mark)) {
      return hasRequestMetric() ? new PlainSparkApi() : new Spark33Api();
    }
    if (!has(loader, newer)) {
      return null;
    }
    try {
      return Class.forName(newer, true, loader)
          .asSubclass(SparkApi.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot instantiate " + newer, e);
    }
  }

  private static boolean hasRequestMetric() {
    return Arrays.stream(ShuffleReadMetricsReporter.class.getMethods())
        .anyMatch(method -> method.getName().equals(REQUEST_METRIC));
  }

  private static boolean has(ClassLoader loader, String name) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
