package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.dynalloc.ExecutorMonitor;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.CollectionAccumulator;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterable;
import scala.collection.Iterator;

/** Removes executors while their map output is still needed, and adds executors. */
final class ExecutorJobs {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final int TASKS = 8;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private ExecutorJobs() {}

  private interface Removal {
    void go(SparkContext context);
  }

  /** Writes a shuffle, removes executors, and reads the shuffle twice. */
  private static JobResult readAfter(SparkSession spark, Removal going) {
    boolean inExecutors = !spark.sparkContext().isLocal();
    JavaPairRDD<Integer, Long> sums =
        RddJobs.pairs(spark, 60_000, 5_000)
            .groupByKey(7)
            .mapToPair(
                group -> new Tuple2<>(group._1(), (long) RddJobs.joined(group._2()).hashCode()));
    List<String> rows = new ArrayList<>(List.of("keys " + sums.count()));
    if (inExecutors) {
      going.go(spark.sparkContext());
    }
    rows.addAll(
        sums.mapToPair(p -> new Tuple2<>(p._1() % 40, p._2()))
            .reduceByKey(Long::sum, 4)
            .map(p -> p._1() + ":" + p._2())
            .collect());
    rows.add("keys again " + sums.count());
    Collections.sort(rows);
    return JobResult.ofOrdered(rows);
  }

  /** Ids of executors removed since this listener was added. Thread-safe. */
  private static final class RemovedExecutors extends SparkListener {
    private final Set<String> ids = ConcurrentHashMap.newKeySet();

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
      ids.add(removed.executorId());
    }
  }

  /** Executors that exist now. */
  private static Set<String> executors(SparkContext context) {
    return new HashSet<>(
        JavaSparkContext.fromSparkContext(context)
            .parallelize(Collections.nCopies(TASKS, 0), TASKS)
            .map(unused -> SparkEnv.get().executorId())
            .collect());
  }

  private static void await(BooleanSupplier wanted, String otherwise) {
    long begun = System.nanoTime();
    while (!wanted.getAsBoolean()) {
      if (System.nanoTime() - begun > LIMIT_NANOS) {
        throw new IllegalStateException(otherwise);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Waits without running tasks until dynamic allocation has released every executor. */
  static JobResult idleExecutors(SparkSession spark, BufferedReader input) {
    return readAfter(
        spark,
        context ->
            // The list includes the driver.
            await(
                () -> context.statusTracker().getExecutorInfos().length == 1,
                "idle executors are still there"));
  }

  /**
   * Number of executors that wrote a shuffle, and number of them that dynamic allocation would
   * release after a day of idleness; returned instead of a plan.
   */
  static JobResult idleWriters(SparkSession spark, BufferedReader input) {
    SparkContext context = spark.sparkContext();
    CollectionAccumulator<String> writers = context.collectionAccumulator("writers");
    long keys =
        RddJobs.pairs(spark, 12_000, 500)
            .mapPartitionsToPair(
                records -> {
                  writers.add(SparkEnv.get().executorId());
                  return records;
                })
            .groupByKey(7)
            .count();
    Set<String> wrote = new HashSet<>(writers.value());
    ShuffleMetrics.settle(context);
    Set<String> released = releasedAfter(context, TimeUnit.DAYS.toNanos(1));
    released.retainAll(wrote);
    return JobResult.ofOrdered(List.of("keys " + keys))
        .withPlan("wrote " + wrote.size() + " released " + released.size());
  }

  /** By reflection, because versions of Scala have different sequences. */
  private static Set<String> releasedAfter(SparkContext context, long nanos) {
    Option<ExecutorAllocationManager> allocation = context.executorAllocationManager();
    Set<String> released = new HashSet<>();
    if (allocation.isDefined()) {
      ExecutorMonitor monitor = allocation.get().executorMonitor();
      try {
        Object found =
            ExecutorMonitor.class
                .getMethod("timedOutExecutors", long.class)
                .invoke(monitor, System.nanoTime() + nanos);
        Iterator<?> executors = ((Iterable<?>) found).iterator();
        while (executors.hasNext()) {
          released.add((String) executors.next());
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read which executors have timed out", e);
      }
    }
    return released;
  }

  /** Decommissions every executor and waits until all are removed. */
  static JobResult decommissioned(SparkSession spark, BufferedReader input) {
    return readAfter(
        spark,
        context -> {
          RemovedExecutors gone = new RemovedExecutors();
          context.addSparkListener(gone);
          Set<String> old = executors(context);
          ExecutorAllocationClient client = (ExecutorAllocationClient) context.schedulerBackend();
          for (String id : old) {
            client.decommissionExecutor(
                id, new ExecutorDecommissionInfo("by the test", Option.empty()), true, false);
          }
          await(() -> gone.ids.containsAll(old), "decommissioned and still there: " + old);
          context.removeSparkListener(gone);
        });
  }

  /** Kills an executor in the last map of a stage; completed maps on it have been pushed. */
  static JobResult lostExecutor(SparkSession spark, BufferedReader input) {
    boolean inExecutors = !spark.sparkContext().isLocal();
    JavaPairRDD<Integer, Long> sums =
        RddJobs.pairs(spark, 60_000, 5_000)
            .mapPartitionsToPair(
                records -> {
                  TaskContext task = TaskContext.get();
                  List<Tuple2<Integer, String>> all = new ArrayList<>();
                  records.forEachRemaining(all::add);
                  if (inExecutors && task.partitionId() == 5 && task.attemptNumber() == 0) {
                    Runtime.getRuntime().halt(17);
                  }
                  return all.iterator();
                })
            .mapToPair(p -> new Tuple2<>(p._1(), (long) p._2().hashCode()))
            .reduceByKey(Long::sum, 6);
    List<String> rows = new ArrayList<>(List.of("keys " + sums.count()));
    rows.addAll(
        sums.mapToPair(p -> new Tuple2<>(p._1() % 40, p._2()))
            .reduceByKey(Long::sum, 4)
            .map(p -> p._1() + ":" + p._2())
            .collect());
    return JobResult.ofUnordered(rows);
  }

  /**
   * A reduce stage that ends only when it runs on two executors, then a stage over cached
   * partitions that ends only when it runs on three. There is one executor at the start, so dynamic
   * allocation requests another one in each stage.
   */
  static JobResult moreExecutors(SparkSession spark, BufferedReader input) throws IOException {
    // Without its partitioner, so that a union with itself has twice the partitions.
    JavaRDD<Tuple2<Integer, String>> cached =
        RddJobs.pairs(spark, 6_000, 300)
            .coalesce(1)
            .partitionBy(new HashPartitioner(2))
            .map(pair -> pair)
            .cache();
    List<String> rows = new ArrayList<>(countAtOnce(spark, cached, 2));
    rows.addAll(countAtOnce(spark, cached.union(cached), 3));
    cached.unpersist(true);
    return JobResult.ofOrdered(rows);
  }

  /** Sizes of partitions; {@code executors} partitions must be read at the same time. */
  private static List<String> countAtOnce(
      SparkSession spark, JavaRDD<Tuple2<Integer, String>> pairs, int tasks) throws IOException {
    Gate gate = Gate.create(Files.createTempDirectory("at-once"));
    if (spark.sparkContext().isLocal()) {
      gate.open();
    }
    JavaFutureAction<List<String>> sizes =
        pairs
            .mapPartitions(
                records -> {
                  gate.pass();
                  int size = 0;
                  while (records.hasNext()) {
                    records.next();
                    size++;
                  }
                  return List.of("size " + size).iterator();
                })
            .collectAsync();
    gate.awaitArrivals(tasks, sizes::isDone);
    gate.open();
    return FaultJob.waitFor(sizes);
  }
}
