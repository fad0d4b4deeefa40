package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.util.List;

/** Jobs of every kind that need neither a specific master nor an injected fault. */
public final class JobKinds {
  // A stage of it has a task for each split of a partition.
  private static final String SKEW_JOIN = "skewJoin";

  /**
   * Spark reports the failed attempt of this job's stage once more if the killed task ends before
   * the next attempt.
   */
  private static final String BARRIER = "barrier";

  /** Every code path of writing and reading a shuffle, and adaptive plans. */
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
          SKEW_JOIN,
          "localReader",
          "notAdaptive");

  /** Jobs whose stages also read partitions with a preferred location. */
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

  /** Jobs whose stages read only shuffles with few map tasks. */
  public static final List<String> OTHERS =
      List.of(
          "union",
          "cogroup",
          "sortByKey",
          "repartitionAndSort",
          "twoStages",
          SKEW_JOIN,
          "localReader",
          BARRIER,
          "accumulators",
          "executorBlamed");

  /** Tasks fail once, which a local master must allow. */
  public static final String FAILING_TASKS = "failingTasks";

  private static final List<String> COUNTS = List.of("mapTasks", "failedStages", "otherFailures");

  private JobKinds() {}

  /**
   * Checks that rows and task counts equal the built-in shuffle's, and that no shuffle fell back.
   */
  public static void assertSame(Outcome own, Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job)).doesNotContain("error");
      for (String count : COUNTS) {
        if (job.equals(SKEW_JOIN) && count.equals("mapTasks")) {
          // Sizes of map output depend slightly on when blocks are pushed, and Spark rounds them to
          // steps of 10 %. A size near such a step can move the border of a split.
          assertThat(found.number(job, count))
              .as(job + " " + count)
              .isCloseTo(own.number(job, count), within(1L));
        } else if (!(job.equals(BARRIER) && count.equals("failedStages"))) {
          assertThat(found.number(job, count))
              .as(job + " " + count)
              .isEqualTo(own.number(job, count));
        }
      }
    }
  }
}
