package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.cluster.ServerCounters;
import io.sluice.demo.yarn.HadoopProgram;
import io.sluice.demo.yarn.ProgramOutcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A job with 1,000 reducers, each of them a process: a quarter of an hour on two cores. Not part of
 * the build, which runs classes whose names end in {@code Test}.
 */
@ExtendWith(SharedClusters.class)
final class ManyReducers {
  private static final int MAPS = 4;
  private static final int REDUCES = 1_000;

  private final Clusters clusters;

  ManyReducers(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void eachOfThousandReducersGetsItsWords() throws Exception {
    Path directory = clusters.directory("many-reducers");
    Path input = TestInputs.words(directory.resolve("in"), MAPS, 5_000, 26);
    Path output = directory.resolve("out");
    ServerCounters before = clusters.probe().counters();
    ProgramOutcome outcome =
        BothWays.succeeded(
            clusters.yarn(),
            HadoopProgram.example(clusters.yarn(), "wordcount")
                .set(clusters.throughSluice())
                .set("mapreduce.job.reduces", Integer.toString(REDUCES))
                .set("mapreduce.job.running.reduce.limit", "4")
                .arguments(input, output)
                .run(Duration.ofMinutes(50)));
    ServerCounters servers = clusters.probe().counters().since(before);

    assertThat(OutputFiles.of(output)).isEqualTo(expected(input));
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(MAPS);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(REDUCES);
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(MAPS * REDUCES);
    assertThat(outcome.counter("PUSHED_SEGMENTS")).isEqualTo(MAPS * REDUCES);
    assertThat(outcome.counter("SERVER_SEGMENTS")).isEqualTo(MAPS * REDUCES);
    assertThat(servers.pushedBlocks()).isEqualTo(MAPS * REDUCES);
  }

  /** What Hadoop's default partitioner gives to each reducer. */
  private static Map<String, String> expected(Path input) throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    for (String word : OutputFiles.text(input).strip().split("\\s+")) {
      counts.merge(word, 1, Integer::sum);
    }
    Map<String, String> files = new TreeMap<>();
    for (int reduce = 0; reduce < REDUCES; reduce++) {
      files.put("part-r-%05d".formatted(reduce), "");
    }
    counts.forEach(
        (word, count) ->
            files.merge(
                "part-r-%05d".formatted((hash(word) & Integer.MAX_VALUE) % REDUCES),
                word + "\t" + count + "\n",
                String::concat));
    return files;
  }

  /** Of Hadoop's {@code Text}. */
  private static int hash(String word) {
    int hash = 1;
    for (byte letter : word.getBytes(StandardCharsets.UTF_8)) {
      hash = 31 * hash + letter;
    }
    return hash;
  }
}
