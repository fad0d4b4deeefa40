package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same jar works with servers, clients and tasks of other Hadoop releases. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class HadoopReleasesTest {
  private final Clusters clusters;

  HadoopReleasesTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.3", "3.5"})
  void runsExamplesTheSame(String release) throws Exception {
    try (YarnCluster yarn = clusters.otherYarn(release)) {
      yarn.start();
      countsWords(new ShuffleComparison(clusters, yarn, "hadoop-" + release));
      sortsAndValidates(yarn, new ShuffleComparison(clusters, yarn, "terasort-" + release));
    }
  }

  private static void countsWords(ShuffleComparison comparison) throws Exception {
    Path input = TestInputs.words(comparison.directory().resolve("words"), 3, 20_000, 25);
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "wordcount",
            (cluster, output) ->
                HadoopProgram.example(cluster, "wordcount")
                    .set("mapreduce.job.reduces", "3")
                    .arguments(input, output));

    assertThat(outcome.sluice().counter("Shuffled Maps")).isEqualTo(9);
  }

  private static void sortsAndValidates(YarnCluster yarn, ShuffleComparison comparison)
      throws Exception {
    Path rows = comparison.directory().resolve("teragen");
    ProgramOutcome generated =
        ShuffleComparison.succeeded(
            yarn,
            HadoopProgram.example(yarn, "teragen")
                .set("mapreduce.job.maps", "3")
                .arguments(200_000, rows)
                .run(ShuffleComparison.TIMEOUT));
    assertThat(generated.counter("Map output records")).isEqualTo(200_000);
    ShuffleComparison.Outcome sorted =
        comparison.sameFiles(
            "terasort",
            (cluster, output) ->
                HadoopProgram.example(cluster, "terasort")
                    .set("mapreduce.job.reduces", "4")
                    .set("mapreduce.terasort.simplepartitioner", "true")
                    .arguments(rows, output));
    assertThat(sorted.sluice().counter("Reduce output records")).isEqualTo(200_000);
    ShuffleComparison.Outcome validated =
        comparison.sameFiles(
            "teravalidate",
            (cluster, output) ->
                HadoopProgram.example(cluster, "teravalidate")
                    .arguments(sorted.sluiceOutput(), output));
    assertThat(OutputFiles.text(validated.sluiceOutput())).startsWith("checksum\t");
  }
}
