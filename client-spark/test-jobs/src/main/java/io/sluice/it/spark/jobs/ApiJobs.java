package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Special stages: cached, many, speculative, barrier, repeated. */
final class ApiJobs {
  private static final long STALL_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long STALL_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private ApiJobs() {}

  private static List<String> texts(JavaPairRDD<Integer, Long> sums) {
    return sums.map(pair -> pair._1() + ":" + pair._2()).collect();
  }

  private static JavaPairRDD<Integer, Long> lengths(JavaPairRDD<Integer, String> pairs) {
    return pairs.mapValues(text -> (long) text.length());
  }

  /** A cached input of two shuffles, and a cached output of one that is shuffled again. */
  static JobResult cachedThenShuffled(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, String> cached =
        RddJobs.pairs(spark, 30_000, 800).persist(StorageLevel.MEMORY_ONLY());
    List<String> rows = new ArrayList<>(List.of("all " + cached.count()));
    JavaPairRDD<Integer, Long> sums = lengths(cached).reduceByKey(Long::sum, 5).cache();
    rows.add("keys " + sums.count());
    rows.addAll(texts(lengths(cached).reduceByKey(Math::max, 7)));
    rows.addAll(
        texts(sums.mapToPair(p -> new Tuple2<>(p._1() % 20, p._2())).reduceByKey(Long::sum, 3)));
    sums.unpersist(true);
    // Recomputed from the shuffle, which still exists.
    rows.addAll(texts(sums));
    cached.unpersist(true);
    return JobResult.ofUnordered(rows);
  }

  /** Many partitions, coalesced so that each of a few tasks reads many of them. */
  static JobResult twentyThousandPartitions(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        texts(
            lengths(RddJobs.pairs(spark, 60_000, 1 << 24))
                .reduceByKey(new HashPartitioner(20_000), Long::sum)
                .coalesce(4)));
  }

  /** One job with a chain of dozens of shuffles. */
  static JobResult longLineage(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, Long> sums =
        lengths(RddJobs.pairs(spark, 6_000, 1_000)).reduceByKey(Long::sum, 3);
    for (int i = 0; i < 30; i++) {
      int step = i;
      sums =
          sums.mapToPair(p -> new Tuple2<>((p._1() * 7 + step) % 1_009, p._2()))
              .reduceByKey(Long::sum, 2 + i % 3);
    }
    return JobResult.ofUnordered(texts(sums));
  }

  /** Triggers Spark's cleanup of unreferenced shuffles; the test then checks the servers. */
  static JobResult forgottenShuffles(SparkSession spark, BufferedReader input) throws IOException {
    Pause.untilResumed("pause:remembered", input);
    System.gc();
    Pause.untilResumed("pause:forgotten", input);
    return JobResult.ofOrdered(List.of());
  }

  /**
   * The first attempt of one map task writes all its records and then stalls until it is killed,
   * after it has pushed most records.
   */
  static JobResult speculated(SparkSession spark, BufferedReader input) {
    boolean speculates = spark.sparkContext().getConf().getBoolean("spark.speculation", false);
    JavaPairRDD<Integer, String> slow =
        RddJobs.pairs(spark, 120_000, 5_000)
            .mapPartitionsToPair(
                records -> {
                  TaskContext task = TaskContext.get();
                  return speculates && task.partitionId() == 3 && task.attemptNumber() == 0
                      ? stallingAtTheEnd(records, task)
                      : records;
                });
    return JobResult.ofUnordered(texts(lengths(slow.groupByKey(6).mapValues(RddJobs::joined))));
  }

  private static <T> Iterator<T> stallingAtTheEnd(Iterator<T> records, TaskContext task) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        if (!records.hasNext()) {
          stall(task);
        }
        return true;
      }

      @Override
      public T next() {
        return records.next();
      }
    };
  }

  /** Blocks until the task is killed; fails after a timeout. */
  private static void stall(TaskContext task) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < STALL_LIMIT_NANOS) {
      if (task.isInterrupted()) {
        throw new IllegalStateException("killed while stalling");
      }
      LockSupport.parkNanos(STALL_CHECK_NANOS);
    }
    throw new IllegalStateException("the task was not killed within the timeout");
  }

  /**
   * A barrier stage between two shuffles that fails once, as a whole. A task that succeeded after
   * another one failed would count in the next attempt, whose other tasks Spark would never start.
   */
  static JobResult barrier(SparkSession spark, BufferedReader input) {
    JavaRDD<Tuple2<Integer, Long>> together =
        Barriers.mapTogether(
            lengths(RddJobs.pairs(spark, 30_000, 900)).reduceByKey(Long::sum, 2).rdd(),
            records -> {
              BarrierTaskContext task = BarrierTaskContext.get();
              task.barrier();
              if (task.stageAttemptNumber() > 0) {
                return records;
              }
              if (task.partitionId() != 1) {
                stall(task);
              }
              throw new IllegalStateException(
                  "expected failure of the first attempt of the barrier stage");
            });
    return JobResult.ofUnordered(
        texts(
            JavaPairRDD.fromJavaRDD(together)
                .mapToPair(p -> new Tuple2<>(p._1() % 70, p._2()))
                .reduceByKey(Long::sum, 4)));
  }

  /**
   * A round-robin distribution of rows in nondeterministic order: a repeated map task distributes
   * them differently. The test deletes some of the output before it is read.
   */
  static JobResult indeterminate(SparkSession spark, BufferedReader input) throws IOException {
    JavaRDD<String> dealt =
        RddJobs.pairs(spark, 40_000, 9_000)
            .groupByKey(6)
            .flatMap(group -> withKey(group).iterator())
            .repartition(8);
    List<String> rows = new ArrayList<>(List.of("all " + dealt.count()));
    Pause.untilResumed("pause:dealt", input);
    rows.addAll(
        texts(
            dealt
                .mapToPair(row -> new Tuple2<>(row.hashCode() % 500, 1L))
                .reduceByKey(Long::sum, 5)));
    rows.addAll(dealt.map(row -> row + "!").collect());
    Collections.sort(rows);
    return JobResult.ofOrdered(rows);
  }

  private static List<String> withKey(Tuple2<Integer, Iterable<String>> group) {
    List<String> rows = new ArrayList<>();
    group._2().forEach(text -> rows.add(group._1() + "-" + text));
    return rows;
  }

  /** Readers that stop before the end of their partitions. */
  static JobResult readInPart(SparkSession spark, BufferedReader input) {
    AtomicLong taken = new AtomicLong();
    RddJobs.pairs(spark, 60_000, 900)
        .groupByKey(5)
        .mapPartitions(
            groups -> {
              List<Integer> first = new ArrayList<>();
              for (int i = 0; i < 3 && groups.hasNext(); i++) {
                first.add(groups.next()._1());
              }
              return first.iterator();
            })
        .collect()
        .forEach(key -> taken.incrementAndGet());
    int first = RddJobs.pairs(spark, 60_000, 900).repartition(4).take(10).size();
    return JobResult.ofOrdered(List.of("taken " + taken.get() + " " + first));
  }
}
