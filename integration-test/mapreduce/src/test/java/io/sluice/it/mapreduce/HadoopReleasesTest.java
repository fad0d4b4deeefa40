package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.yarn.HadoopProgram;
import io.sluice.demo.yarn.YarnCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same jar serves the other releases of Hadoop: their own servers, clients and tasks. */
@ExtendWith(SharedClusters.class)
final class HadoopReleasesTest {
  private final Clusters clusters;

  HadoopReleasesTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.3", "3.5"})
  void countsWordsTheSame(String release) throws Exception {
    try (YarnCluster yarn = clusters.otherYarn(release)) {
      yarn.start();
      BothWays bothWays = new BothWays(clusters, yarn, "hadoop-" + release);
      Path input = TestInputs.words(bothWays.directory().resolve("words"), 3, 20_000, 25);
      BothWays.Outcome outcome =
          bothWays.sameFiles(
              "wordcount",
              (cluster, output) ->
                  HadoopProgram.example(cluster, "wordcount")
                      .set("mapreduce.job.reduces", "3")
                      .arguments(input, output));

      assertThat(outcome.sluice().counter("Shuffled Maps")).isEqualTo(9);
    }
  }
}
