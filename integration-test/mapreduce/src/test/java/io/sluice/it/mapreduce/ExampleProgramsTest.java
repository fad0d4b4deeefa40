package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hadoop's unchanged example programs have the same results with the built-in shuffle and with
 * Sluice.
 */
@ExtendWith(SharedClusters.class)
final class ExampleProgramsTest {
  private static final String REDUCES = "mapreduce.job.reduces";

  private final Clusters clusters;
  private final Path directory;
  private final ShuffleComparison comparison;

  ExampleProgramsTest(Clusters clusters) throws IOException {
    this.clusters = clusters;
    this.comparison = new ShuffleComparison(clusters, "examples");
    this.directory = comparison.directory();
  }

  @Test
  @Tag("nightly")
  void countsWordsWithCombiner() throws Exception {
    Path input = TestInputs.words(directory.resolve("words"), 3, 20_000, 1);
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
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
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "secondarysort",
            (yarn, output) ->
                HadoopProgram.example(yarn, "secondarysort")
                    .set(REDUCES, "2")
                    .arguments(input, output));

    assertThat(outcome.sluice().counter("Reduce input groups")).isEqualTo(200);
  }

  @Test
  @Tag("nightly")
  void sortsAndValidatesTerasortWithAndWithoutEncodedRecords() throws Exception {
    Path rows = directory.resolve("teragen");
    ProgramOutcome generated =
        run(
            HadoopProgram.example(clusters.yarn(), "teragen")
                .set(clusters.throughSluice())
                .set("mapreduce.job.maps", "2")
                .arguments(30_000, rows));
    assertThat(generated.counter("Map output records")).isEqualTo(30_000);

    ShuffleComparison.Outcome sorted =
        comparison.sameFiles("terasort", (yarn, output) -> terasort(yarn, rows, output));
    assertThat(sorted.sluice().counter("Reduce output records")).isEqualTo(30_000);

    Path plainOutput = directory.resolve("plain-records");
    ClusterCounters before = clusters.probe().counters();
    ProgramOutcome plain =
        run(
            terasort(clusters.yarn(), rows, plainOutput)
                .set(clusters.throughSluice())
                .set("mapreduce.rss.client.io.row.planes", "false"));
    ShuffleComparison.assertAllCameFromServers(plain);
    assertThat(OutputFiles.of(plainOutput)).isEqualTo(OutputFiles.of(sorted.sluiceOutput()));
    assertThat(sorted.servers().pushedBytes())
        .isLessThan(clusters.probe().counters().since(before).pushedBytes() * 3 / 4);

    Path validation = directory.resolve("teravalidate");
    run(
        HadoopProgram.example(clusters.yarn(), "teravalidate")
            .set(clusters.throughSluice())
            .arguments(sorted.sluiceOutput(), validation));
    // A record that is out of order would have a line of its own.
    assertThat(OutputFiles.text(validation).lines())
        .singleElement()
        .asString()
        .startsWith("checksum\t");
  }

  private static HadoopProgram terasort(YarnCluster yarn, Path rows, Path output) {
    return HadoopProgram.example(yarn, "terasort")
        .set(REDUCES, "3")
        // The other partitioner reads its file from the working directory of the default file
        // system, which is not the working directory of the containers here.
        .set("mapreduce.terasort.simplepartitioner", "true")
        .set("mapreduce.rss.client.io.compression.codec", "lz4")
        .arguments(rows, output);
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
    ShuffleComparison.Outcome sorted =
        comparison.sameFiles(
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
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
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
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
            "grep-result",
            (yarn, output) ->
                HadoopProgram.example(yarn, "grep").arguments(input, output, "w[12]\\d"));

    assertThat(outcome.sluice().applications()).hasSize(2);
    assertThat(OutputFiles.text(outcome.sluiceOutput()).lines()).hasSize(20);
  }

  @Test
  @Tag("nightly")
  void computesPi() throws Exception {
    ShuffleComparison.Outcome outcome =
        comparison.run(
            "pi", (yarn, output) -> HadoopProgram.example(yarn, "pi").arguments(3, 5_000));

    assertThat(pi(outcome.sluice())).startsWith("Estimated value of Pi is 3.14");
    assertThat(pi(outcome.sluice())).isEqualTo(pi(outcome.own()));
  }

  @Test
  @Tag("nightly")
  void streams() throws Exception {
    Path input = TestInputs.words(directory.resolve("streaming"), 2, 9_000, 6);
    Path script = Files.writeString(directory.resolve("one-word-a-line.sh"), "tr -s ' ' '\\n'\n");
    ShuffleComparison.Outcome outcome =
        comparison.sameFiles(
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
    return ShuffleComparison.succeeded(clusters.yarn(), program.run(ShuffleComparison.TIMEOUT));
  }
}
