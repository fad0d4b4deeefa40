package io.sluice.demo.staging;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Configuration of Spark applications that use Comet. */
public final class CometConf {
  private static final String SHUFFLE_MANAGER =
      "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager";

  /** Off-heap memory of an executor, unless the configuration has another one. */
  private static final String MEMORY = "1g";

  private CometConf() {}

  /**
   * Adds the settings of Comet. The shuffle manager is Comet's, unless the configuration has one.
   *
   * @param jars all jars of the application beside those of Spark
   */
  public static void addTo(Map<String, String> conf, List<Path> jars) {
    conf.put("spark.plugins", "org.apache.spark.CometPlugin");
    conf.put("spark.memory.offHeap.enabled", "true");
    conf.putIfAbsent("spark.memory.offHeap.size", MEMORY);
    conf.put(
        "spark.executor.extraClassPath",
        jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    conf.putIfAbsent("spark.shuffle.manager", SHUFFLE_MANAGER);
  }
}
