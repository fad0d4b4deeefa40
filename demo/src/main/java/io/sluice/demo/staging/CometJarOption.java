package io.sluice.demo.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.Option;

/** Option for the jar of Comet. */
public final class CometJarOption {
  /** System property with the file that names Comet's jar; not set in a distribution. */
  private static final String BUILT = "sluice.comet.jar";

  private static final String NEEDED = "3.5_2.12";

  @Option(
      names = "--comet-jar",
      paramLabel = "FILE",
      description =
          "Jar of Comet 0.12 for Spark 3.5 and Scala 2.12. Only if Comet runs. Default: the jar that"
              + " the build downloaded.")
  private Path cometJar;

  public boolean isGiven() {
    return cometJar != null;
  }

  /**
   * Finds the jar, and checks that it fits the Spark installation.
   *
   * @param system properties of this process
   */
  public Path find(SparkHome spark, Properties system) throws DemoException {
    if (!spark.client().equals(NEEDED)) {
      throw DemoException.usage(
          "Comet needs Spark 3.5 with Scala 2.12; the Spark in "
              + spark.directory()
              + " is "
              + spark.version()
              + " with Scala "
              + spark.scala());
    }
    Path jar = cometJar == null ? built(system) : cometJar.toAbsolutePath();
    if (!Files.isRegularFile(jar)) {
      throw DemoException.usage("the jar of Comet does not exist: " + jar);
    }
    return jar;
  }

  private static Path built(Properties system) throws DemoException {
    String list = system.getProperty(BUILT);
    if (list == null) {
      throw DemoException.usage(
          "no Comet: set --comet-jar to its jar for Spark 3.5 and Scala 2.12 (not needed in a"
              + " checkout of Sluice)");
    }
    try {
      return Path.of(Files.readString(Path.of(list)).strip());
    } catch (IOException e) {
      throw DemoException.failed("cannot read the path of Comet's jar in " + list + ": " + e, e);
    }
  }
}
