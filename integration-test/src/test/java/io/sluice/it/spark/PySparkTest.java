package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PySpark program must return the same results over Sluice and over the built-in shuffle. */
@Tag("nightly")
class PySparkTest {
  @TempDir static Path directory;

  @Test
  void aPythonProgramHasTheSameResults() throws IOException, InterruptedException {
    PySparkProgram program = PySparkProgram.assumedFor(SparkVersion.current(), directory);
    Outcome own = program.run(new SparkApplication(directory.resolve("own")));
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));

        Outcome found =
            program.run(
                SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
                    .withOneExecutor());

        PySparkProgram.assertSameOnSluice(found, own);
        assertThat(probe.counters().pushedBytes()).isPositive();
      }
    }
  }
}
