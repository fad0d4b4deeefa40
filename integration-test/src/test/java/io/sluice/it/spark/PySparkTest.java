package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PySpark program must return the same results over Sluice and over the built-in shuffle. Needs
 * the {@code pyspark} of the Spark release, installed for {@code python3} or in the directory
 * {@code PYSPARK_LIBRARIES}; skipped without it.
 */
class PySparkTest {
  private static final List<String> RESULTS =
      List.of("reduced", "grouped", "sorted", "cogrouped", "withUserFunction", "joined");

  private static final String VERSION = "import pyspark, py4j; print(pyspark.__version__)";

  @TempDir static Path directory;

  private static String libraries() {
    String set = System.getenv("PYSPARK_LIBRARIES");
    return set == null ? "" : set;
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

  @Test
  void aPythonProgramHasTheSameResults() throws IOException, InterruptedException {
    String version = installedVersion(libraries());
    String wanted = SparkVersion.current().label().replaceFirst("_.*", "");
    assumeTrue(
        version.startsWith(wanted + "."),
        "pyspark " + wanted + " for python3 is needed, found " + version);
    Path script = directory.resolve("shuffles.py");
    Files.write(
        script, PySparkTest.class.getResourceAsStream("/python/shuffles.py").readAllBytes());
    Outcome own = new SparkApplication(directory.resolve("own")).runPython(script, libraries());
    assertThat(own.exitCode()).as(own.log()).isZero();
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));

        Outcome found =
            SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
                .withOneExecutor()
                .runPython(script, libraries());

        assertThat(found.exitCode()).as(found.log()).isZero();
        for (String name : RESULTS) {
          assertThat(found.digest(name)).as(name).isNotNull().isEqualTo(own.digest(name));
          assertThat(found.number(name, "rows")).as(name).isPositive();
        }
        assertThat(found.fallbacks()).isEmpty();
        assertThat(found.shufflesOnSluice()).isPositive();
        assertThat(probe.counters().pushedBytes()).isPositive();
      }
    }
  }
}
