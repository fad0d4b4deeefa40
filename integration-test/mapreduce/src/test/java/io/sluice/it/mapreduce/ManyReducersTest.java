package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A job with 1,000 reducer processes, which takes half an hour on two cores. {@link
 * ThousandReducersTest} runs 1,000 reducers in one process.
 */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class ManyReducersTest {
  private static final int MAPS = 4;
  private static final int REDUCES = 1_000;

  private final Clusters clusters;

  ManyReducersTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void eachOfThousandReducersGetsItsWords() throws Exception {
    Path directory = clusters.directory("many-reducers");
    Path input = TestInputs.words(directory.resolve("in"), MAPS, 5_000, 26);
    Path output = directory.resolve("out");
    ClusterCounters before = clusters.probe().counters();
    ProgramOutcome outcome =
        ShuffleComparison.succeeded(
            clusters.yarn(),
            HadoopProgram.example(clusters.yarn(), "wordcount")
                .set(clusters.throughSluice())
                .set("mapreduce.job.reduces", Integer.toString(REDUCES))
                .set("mapreduce.job.running.reduce.limit", "4")
                .arguments(input, output)
                .run(Duration.ofMinutes(50)));
    ClusterCounters servers = clusters.probe().counters().since(before);

    assertThat(OutputFiles.of(output)).isEqualTo(WordCounts.files(input, REDUCES));
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(MAPS);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(REDUCES);
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(MAPS * REDUCES);
    assertThat(outcome.counter("PUSHED_SEGMENTS")).isEqualTo(MAPS * REDUCES);
    assertThat(outcome.counter("SERVER_SEGMENTS")).isEqualTo(MAPS * REDUCES);
    assertThat(servers.pushedBlocks()).isEqualTo(MAPS * REDUCES);
  }
}
