package io.sluice.spark.engine;

import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;

/** Finds the native engine of this process. */
public final class NativeEngines {
  private static final String PLUGINS = "spark.plugins";
  private static final String EXTENSIONS = "spark.sql.extensions";

  /** A part of the client jar for Spark 3.5 and Scala 2.12. */
  private static final String COMET_ENGINE = "io.sluice.spark.comet.CometEngine";

  private static final String COMET_PLUGIN = "org.apache.spark.CometPlugin";
  private static final String COMET_EXTENSIONS = "org.apache.comet.CometSparkSessionExtensions";
  private static final String GLUTEN_PLUGIN = "org.apache.gluten.GlutenPlugin";
  private static final String AURON_EXTENSION =
      "org.apache.spark.sql.auron.AuronSparkSessionExtension";

  private NativeEngines() {}

  /**
   * The engine of an application; empty if it uses none, or one whose exchanges cannot go through
   * Sluice in its own format.
   *
   * @param warnings receives one warning for each engine whose exchanges cannot
   */
  public static Optional<NativeEngine> of(SparkConf conf, Consumer<String> warnings) {
    return of(conf, NativeEngines.class.getClassLoader(), warnings);
  }

  static Optional<NativeEngine> of(SparkConf conf, ClassLoader loader, Consumer<String> warnings) {
    if (has(conf.get(PLUGINS, ""), GLUTEN_PLUGIN)) {
      warnings.accept(
          "Gluten plans no columnar exchanges with the shuffle manager of Sluice: exchanges use"
              + " Spark's rows, and go through Sluice");
    }
    if (has(conf.get(EXTENSIONS, ""), AURON_EXTENSION)) {
      warnings.accept(
          "Auron's native exchanges fail with the shuffle manager of Sluice: turn Auron off, or"
              + " use its shuffle manager instead of Sluice");
    }
    if (!usesComet(conf)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Class.forName(COMET_ENGINE, true, loader)
              .asSubclass(NativeEngine.class)
              .getDeclaredConstructor(SparkConf.class)
              .newInstance(conf));
    } catch (ReflectiveOperationException | LinkageError e) {
      warnings.accept(
          "Comet plans no exchanges of its own: its exchanges through Sluice need Spark 3.5 with"
              + " Scala 2.12, and Comet 0.12 on the class path of driver and executors"
              + " (spark.driver.extraClassPath, spark.executor.extraClassPath). Exchanges use"
              + " Spark's rows, and go through Sluice. error="
              + cause(e));
      return Optional.empty();
    }
  }

  private static Throwable cause(Throwable thrown) {
    return thrown.getCause() == null ? thrown : thrown.getCause();
  }

  /** Executors have the keys of the driver. */
  private static boolean usesComet(SparkConf conf) {
    return has(conf.get(PLUGINS, ""), COMET_PLUGIN)
        || has(conf.get(EXTENSIONS, ""), COMET_EXTENSIONS);
  }

  private static boolean has(String list, String name) {
    for (String one : list.split(",", -1)) {
      if (one.strip().equals(name)) {
        return true;
      }
    }
    return false;
  }
}
