package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.EngineJava;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.YarnCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Application masters and tasks in other Java runtimes than that of the tests, of the daemons of
 * YARN and of the servers. {@code integration-test/fetch-java} gets the runtimes.
 */
@Tag("nightly")
@EnabledIfEnvironmentVariable(named = EngineJava.VARIABLE, matches = ".+")
@ExtendWith(SharedClusters.class)
final class JavaVersionsTest {
  /** Tasks print the version of their Java runtime. */
  private static final String TASK_OPTIONS =
      "-Xmx200m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -showversion";

  private static final Pattern VERSION =
      Pattern.compile("^openjdk version \"(?:1\\.)?(\\d+)\\b", Pattern.MULTILINE);

  private final Clusters clusters;

  JavaVersionsTest(Clusters clusters) {
    this.clusters = clusters;
  }

  static Stream<EngineJava> javas() {
    return EngineJava.configured().stream();
  }

  /** A release of Hadoop that runs in a version of Java: 3.3 before Java 17, 3.5 from it on. */
  private static String releaseFor(EngineJava java) {
    return java.feature() < 17 ? "3.3" : "3.5";
  }

  @ParameterizedTest
  @MethodSource("javas")
  void jobsAreTheSame(EngineJava java) throws Exception {
    try (YarnCluster yarn = clusters.otherYarn(releaseFor(java), java)) {
      yarn.start();
      ShuffleComparison comparison =
          new ShuffleComparison(clusters, yarn, java, "java-" + java.feature());
      Path input = TestInputs.words(comparison.directory().resolve("words"), 3, 20_000, 25);

      ShuffleComparison.Outcome outcome =
          comparison.sameFiles(
              "wordcount",
              (cluster, output) ->
                  HadoopProgram.example(cluster, "wordcount")
                      .set("mapreduce.job.reduces", "3")
                      .set("mapreduce.map.java.opts", TASK_OPTIONS)
                      .set("mapreduce.reduce.java.opts", TASK_OPTIONS)
                      .arguments(input, output));

      assertThat(outcome.sluice().counter("Shuffled Maps")).isEqualTo(9);
      String logs = yarn.containerLogs(outcome.sluice().applications().get(0));
      assertThat(printedVersions(logs)).hasSize(6).containsOnly(Integer.toString(java.feature()));
    }
  }

  private static List<String> printedVersions(String logs) {
    return VERSION.matcher(logs).results().map(version -> version.group(1)).toList();
  }
}
