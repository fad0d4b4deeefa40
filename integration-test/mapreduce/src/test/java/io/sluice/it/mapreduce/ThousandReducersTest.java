package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.common.config.ConfigSet;
import io.sluice.localcluster.ClusterCounters;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** 1,000 of Hadoop's reduce tasks in one process: each must read its words from all maps. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class ThousandReducersTest {
  private static final int MAPS = 4;
  private static final int REDUCES = 1_000;
  private static final long LIMIT_SECONDS = 240;

  private final Clusters clusters;

  ThousandReducersTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void eachReducerGetsItsWords() throws Exception {
    Path directory = clusters.directory("thousand-reducers");
    Path input = TestInputs.words(directory.resolve("in"), MAPS, 5_000, 28);
    Path output = directory.resolve("out");
    ClusterCounters before = clusters.probe().counters();
    ClientConfig config =
        ClientConfig.from(
            ConfigSet.of(
                ClientConfig.SCHEMA, Map.of("rss.coordinator.quorum", clusters.sluice().quorum())));
    try (SluiceClient master = SluiceClient.start(config, "thousand-reducers", "master")) {
      ShuffleRegistration registration =
          master.applicationSession("test").registerShuffle(0, REDUCES);
      assertThat(registration).isInstanceOf(Assigned.class);
      runTasks(directory, input, output, ((Assigned) registration).assignment());
    }

    assertThat(OutputFiles.of(output)).isEqualTo(WordCounts.files(input, REDUCES));
    // One for each map and partition, including empty ones.
    assertThat(clusters.probe().counters().since(before).pushedBlocks()).isEqualTo(MAPS * REDUCES);
  }

  private void runTasks(Path directory, Path input, Path output, ShuffleAssignment assignment)
      throws IOException, InterruptedException {
    List<String> classPath = new ArrayList<>(List.of(Clusters.clientJar().toString()));
    classPath.addAll(clusters.yarn().home().entries());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx300m",
                "-XX:+UseSerialGC",
                "-cp",
                String.join(File.pathSeparator, classPath),
                "io.sluice.it.mapreduce.jobs.TasksInOneProcess"));
    Map<String, String> settings = clusters.throughSluice();
    settings.put("mapreduce.job.reduces", Integer.toString(REDUCES));
    settings.put("mapreduce.task.io.sort.mb", "16");
    settings.forEach((key, value) -> command.addAll(List.of("-D", key + "=" + value)));
    command.addAll(List.of(input.toUri().toString(), output.toUri().toString()));
    command.add(directory.resolve("work").toUri().toString());
    Path log = directory.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder
        .environment()
        .put(
            "SLUICE_SHUFFLE_ASSIGNMENT",
            Base64.getUrlEncoder().withoutPadding().encodeToString(assignment.toBytes()));
    Process tasks = builder.start();
    try {
      assertThat(tasks.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
      assertThat(tasks.exitValue()).as(Files.readString(log)).isZero();
    } finally {
      tasks.destroyForcibly().waitFor();
    }
  }
}
