package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hadoop's own example programs, unchanged, give the same with Hadoop's shuffle and through Sluice.
 */
@ExtendWith(SharedClusters.class)
final class ExampleProgramsTest {
  private static final String REDUCES = "mapreduce.job.reduces";

  private final Clusters clusters;
  private final Path directory;
  private final BothWays bothWays;

  ExampleProgramsTest(Clusters clusters) throws IOException {
    this.clusters = clusters;
    this.bothWays = new BothWays(clusters, "examples");
    this.directory = bothWays.directory();
  }

  @Test
  void countsWordsWithCombiner() throws Exception {
    Path input = TestInputs.words(directory.resolve("words"), 3, 20_000, 1);
    BothWays.Outcome outcome =
        bothWays.sameFiles(
            "wordcount",
            (yarn, output) ->
                HadoopProgram.example(yarn, "wordcount")
                    .set(REDUCES, "3")
                    .arguments(input, output));

    assertThat(outcome.sluice().counter("Combine input records")).isEqualTo(60_000);
    assertThat(outcome.sluice().counter("Shuffled Maps")).isEqualTo(9);
  }

  @Test
  @Tag("nightly")
  void sortsSecondaryWithPartitionerAndGrouping() throws Exception {
    Path input = TestInputs.pairs(directory.resolve("pairs"), 2, 5_000, 2);
    BothWays.Outcome outcome =
        bothWays.sameFiles(
            "secondarysort",
            (yarn, output) ->
                HadoopProgram.example(yarn, "secondarysort")
                    .set(REDUCES, "2")
                    .arguments(input, output));

    assertThat(outcome.sluice().counter("Reduce input groups")).isEqualTo(200);
  }

  @Test
  void sortsAndValidatesTerasort() throws Exception {
    Path rows = directory.resolve("teragen");
    ProgramOutcome generated =
        run(
            HadoopProgram.example(clusters.yarn(), "teragen")
                .set(clusters.throughSluice())
                .set("mapreduce.job.maps", "2")
                .arguments(30_000, rows));
    assertThat(generated.counter("Map output records")).isEqualTo(30_000);

    BothWays.Outcome sorted =
        bothWays.sameFiles(
            "terasort",
            (yarn, output) ->
                HadoopProgram.example(yarn, "terasort")
                    .set(REDUCES, "3")
                    // The other one looks for its file in the working directory of the default
                    // file system, which is that of the containers only if the two are different.
                    .set("mapreduce.terasort.simplepartitioner", "true")
                    .arguments(rows, output));
    assertThat(sorted.sluice().counter("Reduce output records")).isEqualTo(30_000);

    BothWays.Outcome validated =
        bothWays.sameFiles(
            "teravalidate",
            (yarn, output) ->
                HadoopProgram.example(yarn, "teravalidate")
                    .arguments(sorted.sluiceOutput(), output));
    assertThat(OutputFiles.text(validated.sluiceOutput())).startsWith("checksum\t");
  }

  @Test
  @Tag("nightly")
  void sortsAndValidatesRandomRecords() throws Exception {
    Path records = directory.resolve("randomwriter");
    run(
        HadoopProgram.example(clusters.yarn(), "randomwriter")
            .set(clusters.throughSluice())
            .set("mapreduce.randomwriter.mapsperhost", "1")
            .set("mapreduce.randomwriter.bytespermap", "3000000")
            .arguments(records));
    BothWays.Outcome sorted =
        bothWays.sameFiles(
            "sort",
            (yarn, output) ->
                HadoopProgram.example(yarn, "sort").arguments("-r", 3, records, output));
    ProgramOutcome validated =
        run(
            HadoopProgram.of(clusters.yarn(), "org.apache.hadoop.mapred.SortValidator")
                .set(clusters.throughSluice())
                .arguments("-sortInput", records, "-sortOutput", sorted.sluiceOutput()));

    assertThat(validated.printed()).contains("SUCCESS! Validated the MapReduce framework's 'sort'");
  }

  @Test
  @Tag("nightly")
  void joins() throws Exception {
    Path left = TestInputs.sortedKeys(directory.resolve("join-left"), 2, 1_000, "l", 3);
    Path right = TestInputs.sortedKeys(directory.resolve("join-right"), 2, 1_000, "r", 4);
    List<Object> arguments =
        List.of(
            "-r",
            2,
            "-inFormat",
            "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
            "-outFormat",
            "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
            "-outKey",
            "org.apache.hadoop.io.Text",
            "-outValue",
            "org.apache.hadoop.mapreduce.lib.join.TupleWritable",
            "-joinOp",
            "inner",
            left,
            right);
    BothWays.Outcome outcome =
        bothWays.sameFiles(
            "join",
            (yarn, output) ->
                HadoopProgram.example(yarn, "join")
                    .arguments(arguments.toArray())
                    .arguments(output));

    assertThat(OutputFiles.text(outcome.sluiceOutput())).contains(",r");
  }

  @Test
  @Tag("nightly")
  void greps() throws Exception {
    Path input = TestInputs.words(directory.resolve("grep"), 2, 9_000, 5);
    BothWays.Outcome outcome =
        bothWays.sameFiles(
            "grep-result",
            (yarn, output) ->
                HadoopProgram.example(yarn, "grep").arguments(input, output, "w[12]\\d"));

    assertThat(outcome.sluice().applications()).hasSize(2);
    assertThat(OutputFiles.text(outcome.sluiceOutput()).lines()).hasSize(20);
  }

  @Test
  @Tag("nightly")
  void computesPi() throws Exception {
    BothWays.Outcome outcome =
        bothWays.run("pi", (yarn, output) -> HadoopProgram.example(yarn, "pi").arguments(3, 5_000));

    assertThat(pi(outcome.sluice())).startsWith("Estimated value of Pi is 3.14");
    assertThat(pi(outcome.sluice())).isEqualTo(pi(outcome.own()));
  }

  @Test
  @Tag("nightly")
  void streams() throws Exception {
    Path input = TestInputs.words(directory.resolve("streaming"), 2, 9_000, 6);
    Path script = Files.writeString(directory.resolve("one-word-a-line.sh"), "tr -s ' ' '\\n'\n");
    BothWays.Outcome outcome =
        bothWays.sameFiles(
            "streaming",
            (yarn, output) ->
                HadoopProgram.of(yarn, "org.apache.hadoop.streaming.HadoopStreaming")
                    .set(REDUCES, "2")
                    .arguments("-files", script)
                    .arguments("-input", input, "-output", output)
                    .arguments("-mapper", "bash " + script.getFileName())
                    .arguments("-reducer", "uniq -c"));

    assertThat(outcome.sluice().counter("Reduce input records")).isEqualTo(18_000);
  }

  private static String pi(ProgramOutcome outcome) {
    return outcome.printed().lines().filter(line -> line.startsWith("Estimated")).findFirst().get();
  }

  private ProgramOutcome run(HadoopProgram program) throws IOException, InterruptedException {
    return BothWays.succeeded(clusters.yarn(), program.run(BothWays.TIMEOUT));
  }
}
