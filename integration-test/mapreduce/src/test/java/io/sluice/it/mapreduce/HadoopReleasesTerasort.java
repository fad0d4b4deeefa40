package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.yarn.HadoopProgram;
import io.sluice.demo.yarn.ProgramOutcome;
import io.sluice.demo.yarn.YarnCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Terasort and teravalidate on the other releases of Hadoop: several minutes. Not part of the
 * build, which runs classes whose names end in {@code Test}.
 */
@ExtendWith(SharedClusters.class)
final class HadoopReleasesTerasort {
  private final Clusters clusters;

  HadoopReleasesTerasort(Clusters clusters) {
    this.clusters = clusters;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.3", "3.5"})
  void sortsAndValidates(String release) throws Exception {
    try (YarnCluster yarn = clusters.otherYarn(release)) {
      yarn.start();
      BothWays bothWays = new BothWays(clusters, yarn, "terasort-" + release);
      Path rows = bothWays.directory().resolve("teragen");
      ProgramOutcome generated =
          BothWays.succeeded(
              yarn,
              HadoopProgram.example(yarn, "teragen")
                  .set("mapreduce.job.maps", "3")
                  .arguments(200_000, rows)
                  .run(BothWays.TIMEOUT));
      assertThat(generated.counter("Map output records")).isEqualTo(200_000);
      BothWays.Outcome sorted =
          bothWays.sameFiles(
              "terasort",
              (cluster, output) ->
                  HadoopProgram.example(cluster, "terasort")
                      .set("mapreduce.job.reduces", "4")
                      .set("mapreduce.terasort.simplepartitioner", "true")
                      .arguments(rows, output));
      assertThat(sorted.sluice().counter("Reduce output records")).isEqualTo(200_000);
      BothWays.Outcome validated =
          bothWays.sameFiles(
              "teravalidate",
              (cluster, output) ->
                  HadoopProgram.example(cluster, "teravalidate")
                      .arguments(sorted.sluiceOutput(), output));
      assertThat(OutputFiles.text(validated.sluiceOutput())).startsWith("checksum\t");
    }
  }
}
