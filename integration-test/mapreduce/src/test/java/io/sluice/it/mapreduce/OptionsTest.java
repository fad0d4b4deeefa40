package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.HadoopProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Shuffle options of jobs have the same effect with Sluice. */
@ExtendWith(SharedClusters.class)
final class OptionsTest {
  private final Path directory;
  private final ShuffleComparison comparison;

  OptionsTest(Clusters clusters) throws IOException {
    this.comparison = new ShuffleComparison(clusters, "options");
    this.directory = comparison.directory();
  }

  @Test
  void compressesSpillsAndMergesInLittleMemory() throws Exception {
    Path input = TestInputs.words(directory.resolve("many-words"), 3, 200_000, 21);
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "little-memory",
            (yarn, output) ->
                HadoopProgram.example(yarn, "wordcount")
                    .set("mapreduce.job.reduces", "2")
                    .set("mapreduce.map.output.compress", "true")
                    .set(
                        "mapreduce.map.output.compress.codec",
                        "org.apache.hadoop.io.compress.DefaultCodec")
                    .set("mapreduce.task.io.sort.mb", "1")
                    .set("mapreduce.task.io.sort.factor", "3")
                    .set("mapreduce.map.combine.minspills", "3")
                    .set("mapreduce.reduce.shuffle.input.buffer.percent", "0.001")
                    .set("mapreduce.reduce.merge.inmem.threshold", "2")
                    .arguments(input, output),
            Set.of(
                "Combine input records",
                "Combine output records",
                "Spilled Records",
                "Merged Map outputs",
                "Reduce input records"));

    assertThat(outcome.sluice().counter("Map output records")).isEqualTo(600_000);
    assertThat(outcome.sluice().counter("Reduce shuffle bytes"))
        .isLessThan(outcome.sluice().counter("Map output bytes") / 10);
  }

  @Test
  @Tag("nightly")
  void shufflesEmptyMapsAndPartitions() throws Exception {
    Path input = Files.createDirectories(directory.resolve("few-words"));
    Files.writeString(input.resolve("empty-1"), "");
    Files.writeString(input.resolve("empty-2"), "");
    Files.writeString(input.resolve("words"), "one two two\n");
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "few-words",
            (yarn, output) ->
                HadoopProgram.example(yarn, "wordcount")
                    .set("mapreduce.job.reduces", "4")
                    .arguments(input, output));

    assertThat(OutputFiles.text(outcome.sluiceOutput()).lines())
        .containsExactlyInAnyOrder("one\t1", "two\t2");
    assertThat(outcome.sluice().counter("Shuffled Maps")).isEqualTo(12);
  }

  @Test
  @Tag("nightly")
  void shufflesSerializableObjectsWithThePartitionerOfTheJob() throws Exception {
    Path input = TestInputs.words(directory.resolve("objects"), 2, 6_000, 22);
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "serializable-words",
            (yarn, output) ->
                HadoopProgram.of(yarn, "io.sluice.it.mapreduce.jobs.SerializableWordCount")
                    .set("mapreduce.job.reduces", "4")
                    .arguments(input, output));

    assertThat(outcome.sluice().counter("Combine input records")).isEqualTo(12_000);
    Map<String, String> files = OutputFiles.of(outcome.sluiceOutput());
    assertThat(files).hasSize(4);
    // The character code of the digit 0 is 48.
    assertThat(files.get("part-r-00000").lines().map(row -> row.split("\t")[0]))
        .isNotEmpty()
        .allMatch(word -> word.matches("w\\d*[048]"))
        .isSortedAccordingTo(
            Comparator.<String>comparingInt(String::length)
                .thenComparing(Comparator.naturalOrder()));
  }
}
