package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A PySpark program with shuffles of Python records and of rows. It needs the {@code pyspark} of
 * the Spark release, installed for {@code python3} or in the directory {@code PYSPARK_LIBRARIES}.
 */
final class PySparkProgram {
  private static final List<String> RESULTS =
      List.of("reduced", "grouped", "sorted", "cogrouped", "withUserFunction", "joined");

  private static final String VERSION = "import pyspark, py4j; print(pyspark.__version__)";

  private final Path script;
  private final String libraries;

  private PySparkProgram(Path script, String libraries) {
    this.script = script;
    this.libraries = libraries;
  }

  /**
   * Writes the program to a directory; the calling test is skipped without {@code pyspark} of that
   * version.
   */
  static PySparkProgram assumedFor(SparkVersion spark, Path directory)
      throws IOException, InterruptedException {
    String libraries = System.getenv().getOrDefault("PYSPARK_LIBRARIES", "");
    String version = installedVersion(libraries);
    String wanted = spark.label().replaceFirst("_.*", "");
    assumeTrue(
        version.startsWith(wanted + "."),
        "pyspark " + wanted + " for python3 is needed, found " + version);
    Path script = directory.resolve("shuffles.py");
    Files.write(
        script, PySparkProgram.class.getResourceAsStream("/python/shuffles.py").readAllBytes());
    return new PySparkProgram(script, libraries);
  }

  private static String installedVersion(String libraries)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("python3", "-c", VERSION).redirectErrorStream(true);
    builder.environment().put("PYTHONPATH", libraries);
    try {
      Process python = builder.start();
      String output =
          new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      boolean ended = python.waitFor(30, TimeUnit.SECONDS);
      return ended && python.exitValue() == 0 ? output : "none: " + output;
    } catch (IOException e) {
      return "none: " + e.getMessage();
    }
  }

  /** Runs the program, and fails if it fails. */
  Outcome run(SparkApplication application) throws IOException, InterruptedException {
    Outcome outcome = application.runPython(script, libraries);
    assertThat(outcome.exitCode()).as(outcome.log()).isZero();
    return outcome;
  }

  /** Fails if results differ, or a shuffle used the built-in shuffle. */
  static void assertSameOnSluice(Outcome found, Outcome own) {
    for (String name : RESULTS) {
      assertThat(found.digest(name)).as(name).isNotNull().isEqualTo(own.digest(name));
      assertThat(found.number(name, "rows")).as(name).isPositive();
    }
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
  }
}
