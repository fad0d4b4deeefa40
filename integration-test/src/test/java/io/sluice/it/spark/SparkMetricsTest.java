package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares every task metric and SQL metric of the same jobs over Sluice and over the built-in
 * shuffle. The table in docs/spark.md lists allowed differences and reasons; a metric that is
 * missing in the table fails the test.
 */
class SparkMetricsTest {
  private static final List<String> JOBS =
      List.of(
          "groupByKey",
          "sortByKey",
          "aggregateByKey",
          "repartition",
          "javaSerializerFewPartitions",
          "javaSerializerManyPartitions",
          "javaSerializerCombine",
          "emptyShuffle",
          "manyPartitions",
          "aggregate",
          "join",
          "window",
          "skewJoin",
          "notAdaptive");

  /** Jobs whose map tasks spill, because they use Spark's sorter. */
  private static final List<String> COMBINING =
      List.of("aggregateByKey", "javaSerializerManyPartitions", "javaSerializerCombine");

  @TempDir static Path directory;

  private static SparkApplication spilling(SparkApplication application) {
    return application
        .set("spark.master", "local-cluster[2,1,1024]")
        .set("spark.shuffle.spill.numElementsForceSpillThreshold", "2000");
  }

  @Test
  void everyMetricMatchesTheTable() throws IOException, InterruptedException {
    Outcome own = spilling(new SparkApplication(directory.resolve("own"))).run(JOBS);
    assertThat(own.exitCode()).as(own.log()).isZero();
    Outcome found = overSluice();
    assertThat(found.exitCode()).as(found.log()).isZero();
    MetricRules rules = MetricRules.ofDocumentation();
    List<String> wrong = new ArrayList<>();
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      TreeSet<String> names = new TreeSet<>(own.metrics(job).keySet());
      names.addAll(found.metrics(job).keySet());
      for (String name : names) {
        rules
            .check(name, own.metrics(job).get(name), found.metrics(job).get(name))
            .ifPresent(problem -> wrong.add(job + " " + name + ": " + problem));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(JOBS)
        .anyMatch(job -> found.metrics(job).get("shuffle.read.remoteReqsDuration").value() > 0);
    for (String job : COMBINING) {
      for (String metric : List.of("memoryBytesSpilled", "diskBytesSpilled")) {
        assertThat(own.metrics(job).get(metric).value()).as(job + " " + metric).isPositive();
        assertThat(found.metrics(job).get(metric).value())
            .as(job + " " + metric)
            .isCloseTo(own.metrics(job).get(metric).value(), withPercentage(10));
      }
    }
  }

  private static Outcome overSluice() throws IOException, InterruptedException {
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
      }
      return spilling(SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum()))
          .run(JOBS);
    }
  }
}
