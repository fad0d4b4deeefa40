package io.sluice.spark.compat;

import org.apache.spark.package$;

/** Selects the {@link SparkApi} for the Spark version of this process. */
public final class SparkApis {
  /** Present in Spark 4.1 and later, which need {@link #ROW_CHECKSUM_API}. */
  private static final String ROW_CHECKSUM = "org.apache.spark.shuffle.checksum.RowBasedChecksum";

  private static final String ROW_CHECKSUM_API = "io.sluice.spark.compat.RowChecksumApi";

  /** Null if this jar does not support the Spark version. */
  private static final SparkApi CURRENT =
      find(SparkApis.class.getClassLoader(), ROW_CHECKSUM, ROW_CHECKSUM_API);

  private SparkApis() {}

  /**
   * The API for the Spark version of this process.
   *
   * @throws IllegalStateException if this jar is for an older Spark version
   */
  public static SparkApi current() {
    if (CURRENT == null) {
      throw new IllegalStateException(
          "this jar of Sluice's plugin is for Spark 3.5, but the application runs on Spark "
              + package$.MODULE$.SPARK_VERSION()
              + ": replace it by sluice-client-spark-4_2.13-*.jar on the class path");
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
      return new PlainSparkApi();
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

  private static boolean has(ClassLoader loader, String name) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
