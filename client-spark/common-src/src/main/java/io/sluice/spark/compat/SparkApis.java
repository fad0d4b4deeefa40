package io.sluice.spark.compat;

import org.apache.spark.package$;

/** Finds the {@link SparkApi} of the Spark that runs in this process. */
public final class SparkApis {
  /** Spark has it from 4.1 on, and with it the other forms of the calls. */
  private static final String ROW_CHECKSUM = "org.apache.spark.shuffle.checksum.RowBasedChecksum";

  private static final String ROW_CHECKSUM_API = "io.sluice.spark.compat.RowChecksumApi";

  /** Null if this jar has none that fits. */
  private static final SparkApi CURRENT =
      find(SparkApis.class.getClassLoader(), ROW_CHECKSUM, ROW_CHECKSUM_API);

  private SparkApis() {}

  /**
   * The one of this process.
   *
   * @throws IllegalStateException if this jar is for older versions of Spark
   */
  public static SparkApi current() {
    if (CURRENT == null) {
      throw new IllegalStateException(
          "this jar of Sluice's plugin is for Spark 3.5, and this is Spark "
              + package$.MODULE$.SPARK_VERSION()
              + ": put sluice-client-spark-4_2.13-*.jar on the class path in its place");
    }
    return CURRENT;
  }

  /**
   * Null if Spark has the class of {@code mark} and this jar lacks the class that goes with it.
   *
   * @param mark a class that tells newer versions of Spark from older ones
   * @param newer the implementation for the newer ones
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
      throw new IllegalStateException("cannot make " + newer, e);
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
