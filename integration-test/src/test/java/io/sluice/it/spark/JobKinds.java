package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.util.List;

/** Jobs of every kind that need neither a certain master nor a test that breaks something. */
public final class JobKinds {
  /**
   * Spark reports the failed attempt of its stage once more if the end of the task that it kills
   * comes before the next attempt.
   */
  private static final String BARRIER = "barrier";

  /** Every way of writing and reading a shuffle, and adaptive plans. */
  public static final List<String> SHUFFLES =
      List.of(
          "groupByKey",
          "sortByKey",
          "cogroup",
          "repartition",
          "aggregateByKey",
          "customPartitioner",
          "javaSerializerFewPartitions",
          "javaSerializerManyPartitions",
          "javaSerializerCombine",
          "emptyShuffle",
          "onePartition",
          "manyPartitions",
          "largeRecords",
          "twoStages",
          "aggregate",
          "join",
          "window",
          "rangeSort",
          "coalesced",
          "skewJoin",
          "localReader",
          "notAdaptive");

  /** Stages of these also read partitions that have a preferred location. */
  public static final List<String> MIXED =
      List.of(
          "cachedUnion",
          "cachedJoin",
          "cachedBesideSkewSplits",
          "cachedBesideLocalReads",
          "cachedRddUnion",
          "checkpointedUnion",
          "zipped",
          "cachedThenShuffled");

  /** Stages of these read shuffles of few map tasks, and nothing else. */
  public static final List<String> OTHERS =
      List.of(
          "union",
          "cogroup",
          "sortByKey",
          "repartitionAndSort",
          "twoStages",
          "skewJoin",
          "localReader",
          BARRIER,
          "accumulators",
          "executorBlamed");

  /** Tasks fail once: a local master has to allow that. */
  public static final String FAILING_TASKS = "failingTasks";

  private static final List<String> COUNTS = List.of("mapTasks", "failedStages", "otherFailures");

  private JobKinds() {}

  /** Rows and numbers of tasks are those of the built-in shuffle, and nothing fell back to it. */
  public static void assertSame(Outcome own, Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job)).doesNotContain("error");
      for (String count : COUNTS) {
        if (!(job.equals(BARRIER) && count.equals("failedStages"))) {
          assertThat(found.number(job, count))
              .as(job + " " + count)
              .isEqualTo(own.number(job, count));
        }
      }
    }
  }
}
