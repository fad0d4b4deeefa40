package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Function1;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterable;
import scala.reflect.ClassTag$;

/**
 * Shuffles whose recovery after a loss is special. Each job writes a shuffle, pauses, and reads it;
 * the pause has the name of the job.
 */
final class LossJobs {
  private static final int RECORDS = 2_000;

  private LossJobs() {}

  private static JavaPairRDD<Integer, String> pairs(SparkSession spark, int maps, int keysOfMap) {
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(IntStream.range(0, maps).boxed().toList(), maps)
        .flatMapToPair(map -> records(map, keysOfMap));
  }

  /** Keys {@code map * keys .. map * keys + keys - 1}. */
  private static Iterator<Tuple2<Integer, String>> records(int map, int keys) {
    SplittableRandom random = new SplittableRandom(map);
    return IntStream.range(0, RECORDS)
        .mapToObj(
            i ->
                new Tuple2<>(
                    map * keys + random.nextInt(keys), Long.toHexString(random.nextLong())))
        .iterator();
  }

  /** The partition of a key is the key itself. */
  private static final class ByKey extends Partitioner {
    private static final long serialVersionUID = 1;
    private final int partitions;

    ByKey(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }
  }

  private static JavaRDD<String> sums(JavaPairRDD<Integer, String> pairs) {
    return pairs.mapPartitionsWithIndex(
        (partition, records) -> {
          long sum = 0;
          int count = 0;
          while (records.hasNext()) {
            Tuple2<Integer, String> record = records.next();
            sum += 31L * record._1() + record._2().hashCode();
            count++;
          }
          return List.of(partition + ":" + count + ":" + sum).iterator();
        },
        true);
  }

  /** 36 maps and 36 partitions; each map writes to one partition. */
  static JobResult sparse(SparkSession spark, BufferedReader input) throws IOException {
    int maps = 36;
    JavaPairRDD<Integer, String> shuffled = pairs(spark, maps, 1).partitionBy(new ByKey(maps));
    // Reads one partition, which runs all maps.
    sums(shuffled).take(1);
    Pause.untilResumed("pause:sparseLoss", input);
    return JobResult.ofUnordered(sums(shuffled).collect());
  }

  /**
   * A round-robin repartition of rows in nondeterministic order. A repeated map may distribute rows
   * differently, so Spark repeats all maps.
   */
  static JobResult indeterminate(SparkSession spark, BufferedReader input) throws IOException {
    JavaRDD<Tuple2<Integer, String>> repartitioned =
        JavaRDD.fromRDD(
                pairs(spark, 4, 300).partitionBy(new HashPartitioner(4)).rdd(),
                ClassTag$.MODULE$.apply(Tuple2.class))
            .repartition(5);
    long count = repartitioned.count();
    Pause.untilResumed("pause:indeterminateLoss", input);
    List<String> rows =
        new ArrayList<>(
            repartitioned
                .mapToPair(pair -> new Tuple2<>(pair._1() % 100, (long) pair._2().hashCode()))
                .reduceByKey(Long::sum, 3)
                .map(pair -> pair._1() + ":" + pair._2())
                .collect());
    rows.add("count " + count);
    return JobResult.ofUnordered(rows);
  }

  /** A barrier stage between two shuffles: all of its tasks run, or none. */
  static JobResult barrier(SparkSession spark, BufferedReader input) throws IOException {
    JavaPairRDD<Integer, String> shuffled =
        pairs(spark, 4, 300).partitionBy(new HashPartitioner(2));
    long count = shuffled.count();
    Pause.untilResumed("pause:barrierLoss", input);
    JavaRDD<Tuple2<Integer, String>> together =
        JavaRDD.<Tuple2<Integer, String>>fromRDD(
            shuffled
                .rdd()
                .barrier()
                .mapPartitions(
                    (Function1<
                                scala.collection.Iterator<Tuple2<Integer, String>>,
                                scala.collection.Iterator<Tuple2<Integer, String>>>
                            & Serializable)
                        records -> records,
                    true,
                    ClassTag$.MODULE$.apply(Tuple2.class)),
            ClassTag$.MODULE$.apply(Tuple2.class));
    List<String> rows =
        new ArrayList<>(
            together
                .mapToPair(pair -> new Tuple2<>(pair._1() % 50, (long) pair._2().hashCode()))
                .reduceByKey(Long::sum, 3)
                .map(pair -> pair._1() + ":" + pair._2())
                .collect());
    rows.add("count " + count);
    return JobResult.ofUnordered(rows);
  }

  /**
   * User code of a reduce task throws fetch failures that name the executor of the first map task,
   * until that map task has run again.
   */
  static JobResult executorBlamed(SparkSession spark, BufferedReader input) {
    int partitions = 4;
    JavaPairRDD<Integer, String> written =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, 6).boxed().toList(), 6)
            .flatMapToPair(
                map ->
                    IntStream.range(0, partitions)
                        .mapToObj(partition -> new Tuple2<>(partition, Writer.ofThisTask().text()))
                        .iterator())
            .partitionBy(new ByKey(partitions));
    int shuffle = shuffleOf(written.rdd());
    return JobResult.ofUnordered(
        written
            .mapPartitionsWithIndex(
                (partition, records) -> {
                  List<String> rows = new ArrayList<>();
                  while (records.hasNext()) {
                    Writer writer = Writer.of(records.next()._2());
                    if (partition == 1 && writer.map() == 0 && writer.stageAttempt() == 0) {
                      throw new FetchFailedException(
                          writer.at(), shuffle, writer.mapId(), 0, partition, "by the test", null);
                    }
                    rows.add(partition + ":" + writer.map());
                  }
                  return rows.iterator();
                },
                true)
            .collect());
  }

  /** Uses reflection, because the sequence type differs between Scala versions. */
  private static int shuffleOf(RDD<?> shuffled) {
    try {
      Object dependencies = RDD.class.getMethod("dependencies").invoke(shuffled);
      return ((ShuffleDependency<?, ?, ?>) ((Iterable<?>) dependencies).iterator().next())
          .shuffleId();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read the dependencies of an RDD", e);
    }
  }

  /** The map attempt that wrote a record. */
  private record Writer(int map, int stageAttempt, long mapId, BlockManagerId at) {
    static Writer ofThisTask() {
      TaskContext task = TaskContext.get();
      return new Writer(
          task.partitionId(),
          task.stageAttemptNumber(),
          task.taskAttemptId(),
          SparkEnv.get().blockManager().shuffleServerId());
    }

    static Writer of(String text) {
      String[] fields = text.split(" ", -1);
      return new Writer(
          Integer.parseInt(fields[0]),
          Integer.parseInt(fields[1]),
          Long.parseLong(fields[2]),
          BlockManagerId$.MODULE$.apply(
              fields[3], fields[4], Integer.parseInt(fields[5]), Option.empty()));
    }

    String text() {
      return String.join(
          " ",
          Integer.toString(map),
          Integer.toString(stageAttempt),
          Long.toString(mapId),
          at.executorId(),
          at.host(),
          Integer.toString(at.port()));
    }
  }
}
