package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;
import scala.collection.Seq;

/**
 * One shuffle with 6 maps and 9 partitions that pauses at points where a test injects a fault. Its
 * name is {@code faults/NAME@POINT,POINT}; at each named point it pauses as {@code NAME/POINT}.
 * With {@code NAME*N} records are N times longer. The result depends only on N; the plan is the id
 * of the shuffle.
 *
 * <ul>
 *   <li>{@code registered}: the shuffle has servers, no data is written;
 *   <li>{@code in-map}: on two cores, maps 0 and 1 are done, 2 and 3 have written half of their
 *       records, 4 and 5 have not started;
 *   <li>{@code mapped}: all maps are done and a record of the first partition has been read;
 *   <li>{@code in-read}: on two cores, two reduce tasks have read one record each.
 * </ul>
 *
 * With the prefix {@code stages/} a second shuffle with 9 maps reads the first one. It is
 * registered after {@code mapped}, when the first one was read completely.
 *
 * <p>With the prefix {@code order/} the result depends on the order of records, too: on the first
 * record of each partition, a sum of floating-point numbers, and a hash of all records in order.
 *
 * <p>The directory {@code faults/NAME/maps} in the driver's temporary directory records which
 * executor ran which map attempt.
 */
final class FaultJob implements Job {
  static final String PREFIX = "faults/";

  static final String ORDER_PREFIX = "order/";

  static final String STAGES_PREFIX = "stages/";

  private static final int MAPS = 6;
  private static final int MAPS_BEFORE_GATE = 2;
  private static final int REDUCES = 9;
  private static final int SECOND_REDUCES = 7;
  private static final int RECORDS = 12_000;
  private static final int CORES = 2;

  private final String name;
  private final int words;
  private final boolean inOrder;
  private final boolean inStages;
  private final Set<String> points;

  /**
   * @param text {@code faults/NAME*N@POINT,POINT}
   */
  FaultJob(String text) {
    this.inOrder = text.startsWith(ORDER_PREFIX);
    this.inStages = text.startsWith(STAGES_PREFIX);
    String[] parts = text.substring(text.indexOf('/') + 1).split("@", 2);
    this.name = parts[0];
    int star = name.indexOf('*');
    this.words = star < 0 ? 1 : Integer.parseInt(name.substring(star + 1));
    this.points = parts.length == 1 ? Set.of() : Set.of(parts[1].split(",", -1));
  }

  @Override
  public JobResult run(SparkSession spark, BufferedReader input) throws IOException {
    Path directory = Path.of(System.getProperty("java.io.tmpdir"), "faults", name);
    String maps = Files.createDirectories(directory.resolve("maps")).toString();
    Gate inMap = gate(directory, "in-map");
    Gate inRead = gate(directory, "in-read");
    int wordsEach = words;
    JavaPairRDD<Integer, String> shuffled =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
            .flatMapToPair(map -> records(map, wordsEach, maps, inMap))
            .partitionBy(new HashPartitioner(REDUCES));
    int shuffle = register(shuffled.rdd());
    pauseAt("registered", input);
    if (inStages) {
      JavaFutureAction<Long> first = shuffled.countAsync();
      pauseAt("in-map", inMap, first, input);
      waitFor(first);
      pauseAt("mapped", input);
      JavaFutureAction<List<String>> second = secondStage(shuffled, inRead).collectAsync();
      pauseAt("in-read", inRead, second, input);
      return JobResult.ofUnordered(waitFor(second)).withPlan(Integer.toString(shuffle));
    }
    boolean ordered = inOrder;
    JavaRDD<String> rows =
        shuffled.mapPartitionsWithIndex(
            (index, pairs) ->
                ordered ? rowInOrder(index, pairs, inRead) : row(index, pairs, inRead),
            true);
    JavaFutureAction<List<String>> result;
    if (points.contains("mapped")) {
      JavaFutureAction<?> first = shuffled.takeAsync(1);
      pauseAt("in-map", inMap, first, input);
      waitFor(first);
      pauseAt("mapped", input);
      result = rows.collectAsync();
    } else {
      result = rows.collectAsync();
      pauseAt("in-map", inMap, result, input);
    }
    pauseAt("in-read", inRead, result, input);
    return JobResult.ofUnordered(waitFor(result)).withPlan(Integer.toString(shuffle));
  }

  private static JavaRDD<String> secondStage(JavaPairRDD<Integer, String> first, Gate begun) {
    return first
        .mapToPair(pair -> new Tuple2<>(pair._2().hashCode(), pair._1() + pair._2()))
        .partitionBy(new HashPartitioner(SECOND_REDUCES))
        .mapPartitionsWithIndex((index, pairs) -> row(index, pairs, begun), true);
  }

  /**
   * Registers the shuffle by requesting the dependencies. Uses reflection, because the type of the
   * list differs between Scala versions.
   */
  private static int register(RDD<?> shuffled) {
    try {
      Seq<?> dependencies = (Seq<?>) RDD.class.getMethod("dependencies").invoke(shuffled);
      return ((ShuffleDependency<?, ?, ?>) dependencies.head()).shuffleId();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot call RDD.dependencies()", e);
    }
  }

  /** A gate at a point that the name does not contain is open from the start. */
  private Gate gate(Path directory, String point) throws IOException {
    Gate gate = Gate.create(directory.resolve(point));
    if (!points.contains(point)) {
      gate.open();
    }
    return gate;
  }

  private void pauseAt(String point, BufferedReader input) throws IOException {
    if (points.contains(point)) {
      Pause.untilResumed(Pause.PREFIX + name + "/" + point, input);
    }
  }

  /** Pauses when every core has a task at the gate. */
  private void pauseAt(String point, Gate gate, JavaFutureAction<?> job, BufferedReader input)
      throws IOException {
    if (points.contains(point)) {
      gate.awaitArrivals(CORES, job::isDone);
      Pause.untilResumed(Pause.PREFIX + name + "/" + point, input);
      gate.open();
    }
  }

  static <T> T waitFor(JavaFutureAction<T> job) {
    try {
      return job.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Iterator<Tuple2<Integer, String>> records(
      int map, int words, String maps, Gate half) {
    Executors.note(maps);
    SplittableRandom random = new SplittableRandom(map);
    return IntStream.range(0, RECORDS)
        .mapToObj(
            i -> {
              if (i == RECORDS / 2 && map >= MAPS_BEFORE_GATE) {
                half.pass();
              }
              StringBuilder value = new StringBuilder();
              for (int word = 0; word < words; word++) {
                value.append(Long.toHexString(random.nextLong()));
              }
              return new Tuple2<>(random.nextInt(100_000), value.toString());
            })
        .iterator();
  }

  private static Iterator<String> row(
      int index, Iterator<Tuple2<Integer, String>> pairs, Gate begun) {
    int count = 0;
    long sum = 0;
    while (pairs.hasNext()) {
      Tuple2<Integer, String> pair = pairs.next();
      sum += 31L * pair._1() + pair._2().hashCode();
      if (count == 0) {
        begun.pass();
      }
      count++;
    }
    return List.of(index + ":" + count + ":" + sum).iterator();
  }

  private static Iterator<String> rowInOrder(
      int index, Iterator<Tuple2<Integer, String>> pairs, Gate begun) {
    String first = null;
    long hash = 0;
    double sum = 0;
    while (pairs.hasNext()) {
      Tuple2<Integer, String> pair = pairs.next();
      if (first == null) {
        first = pair.toString();
        begun.pass();
      }
      hash = 31 * hash + pair.hashCode();
      sum += Math.sqrt(pair._1());
    }
    return List.of(index + ":" + first + ":" + sum + ":" + hash).iterator();
  }
}
