package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Jobs over the RDD API. */
final class RddJobs {
  private static final int MAPS = 6;

  private RddJobs() {}

  static JavaSparkContext context(SparkSession spark) {
    return JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  /** Deterministic pairs of a skewed key and a text. */
  static JavaPairRDD<Integer, String> pairs(SparkSession spark, int count, int keys) {
    int perMap = count / MAPS;
    return context(spark)
        .parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
        .flatMapToPair(map -> generated(map, perMap, keys));
  }

  private static Iterator<Tuple2<Integer, String>> generated(int map, int count, int keys) {
    SplittableRandom random = new SplittableRandom(map);
    return IntStream.range(0, count)
        .mapToObj(
            i -> {
              double skewed = Math.pow(random.nextDouble(), 3);
              int key = (int) (keys * skewed);
              return new Tuple2<>(key, Long.toHexString(random.nextLong()) + "-" + i);
            })
        .iterator();
  }

  private static int hashOf(Iterable<String> values) {
    int sum = 0;
    for (String value : values) {
      sum += value.hashCode();
    }
    return sum;
  }

  /** Sorts rows, so that the result does not depend on the order of arrival. */
  static String joined(Iterable<String> values) {
    List<String> sorted = new ArrayList<>();
    values.forEach(sorted::add);
    Collections.sort(sorted);
    return String.join(",", sorted);
  }

  static JobResult groupByKey(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        pairs(spark, 120_000, 500)
            .groupByKey(17)
            .map(group -> group._1() + ":" + hashOf(group._2()))
            .collect());
  }

  static JobResult sortByKey(SparkSession spark, BufferedReader input) {
    return JobResult.ofOrdered(
        pairs(spark, 60_000, 1_000_000)
            .sortByKey(true, 9)
            .map(pair -> String.valueOf(pair._1()))
            .collect());
  }

  static JobResult cogroup(SparkSession spark, BufferedReader input) {
    JavaPairRDD<Integer, String> left = pairs(spark, 30_000, 700);
    JavaPairRDD<Integer, String> right = pairs(spark, 12_000, 900).filter(p -> p._1() % 3 == 0);
    return JobResult.ofUnordered(
        left.cogroup(right, 11)
            .map(both -> both._1() + ":" + hashOf(both._2()._1()) + ":" + hashOf(both._2()._2()))
            .collect());
  }

  static JobResult repartition(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        pairs(spark, 60_000, 100).repartition(23).map(pair -> pair._1() + pair._2()).collect());
  }

  static JobResult aggregateByKey(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        pairs(spark, 200_000, 20_000)
            .aggregateByKey(0L, 13, (sum, text) -> sum + text.length(), (one, other) -> one + other)
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
  }

  /** Every second partition is empty, and the last one is the largest. */
  static final class Lopsided extends Partitioner {
    private static final long serialVersionUID = 1;
    private final int partitions;

    Lopsided(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      int hash = key.hashCode();
      return hash % 4 == 0 ? hash / 4 % (partitions / 2) * 2 : partitions - 1;
    }
  }

  private static <T> JavaRDD<String> withPartition(JavaPairRDD<Integer, T> pairs) {
    return pairs.mapPartitionsWithIndex(
        (partition, elements) -> {
          int count = 0;
          int sum = 0;
          while (elements.hasNext()) {
            Tuple2<Integer, T> element = elements.next();
            sum += 31 * element._1() + element._2().hashCode();
            count++;
          }
          return List.of(partition + ":" + count + ":" + sum).iterator();
        },
        true);
  }

  static JobResult customPartitioner(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        withPartition(pairs(spark, 60_000, 5_000).partitionBy(new Lopsided(31))).collect());
  }

  private static JobResult javaSerialized(SparkSession spark, int partitions) {
    ClassTag<Integer> keys = ClassTag$.MODULE$.apply(Integer.class);
    ClassTag<String> values = ClassTag$.MODULE$.apply(String.class);
    ShuffledRDD<Integer, String, String> shuffled =
        new ShuffledRDD<>(
            pairs(spark, 40_000, 3_000).rdd(),
            new HashPartitioner(partitions),
            keys,
            values,
            values);
    shuffled.setSerializer(new JavaSerializer(spark.sparkContext().getConf()));
    JavaRDD<Tuple2<Integer, String>> rows =
        new JavaRDD<>(shuffled, ClassTag$.MODULE$.apply(Tuple2.class));
    return JobResult.ofUnordered(
        withPartition(JavaPairRDD.fromJavaRDD(rows)).coalesce(4).collect());
  }

  static JobResult javaSerializerFewPartitions(SparkSession spark, BufferedReader input) {
    return javaSerialized(spark, 20);
  }

  /** More partitions than Spark's limit for one stream per partition. */
  static JobResult javaSerializerManyPartitions(SparkSession spark, BufferedReader input) {
    return javaSerialized(spark, 300);
  }

  static JobResult javaSerializerCombine(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        pairs(spark, 60_000, 2_000)
            .combineByKey(
                text -> (long) text.length(),
                (sum, text) -> sum + text.length(),
                (one, other) -> one + other,
                new HashPartitioner(8),
                true,
                new JavaSerializer(spark.sparkContext().getConf()))
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
  }

  static JobResult emptyShuffle(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        withPartition(
                pairs(spark, 6_000, 100)
                    .filter(pair -> pair._1() < 0)
                    .partitionBy(new HashPartitioner(5)))
            .collect());
  }

  static JobResult onePartition(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        withPartition(pairs(spark, 60_000, 5_000).partitionBy(new HashPartitioner(1))).collect());
  }

  /** More partitions than Spark's limit for exact sizes in map statuses. */
  static JobResult manyPartitions(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        withPartition(pairs(spark, 60_000, 1 << 24).partitionBy(new HashPartitioner(2_500)))
            .coalesce(4)
            .collect());
  }

  /** Records from one byte to 12 MiB, larger than a block and than a frame. */
  static JobResult largeRecords(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        context(spark)
            .parallelize(IntStream.range(0, 18).boxed().toList(), 3)
            .mapToPair(
                i -> {
                  byte[] bytes = new byte[i % 6 == 0 ? 12 << 20 : 1 << i];
                  new Random(i).nextBytes(bytes);
                  return new Tuple2<>(i, bytes);
                })
            .partitionBy(new HashPartitioner(4))
            .mapToPair(pair -> new Tuple2<>(pair._1(), Arrays.hashCode(pair._2())))
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
  }

  /** 192 MiB that do not compress: each of 4 map tasks has 12 MiB for each of 4 reduce tasks. */
  static JobResult incompressible(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        context(spark)
            .parallelize(IntStream.range(0, 4).boxed().toList(), 4)
            .flatMapToPair(
                map -> {
                  Random random = new Random(map);
                  return IntStream.range(0, 768)
                      .mapToObj(
                          i -> {
                            byte[] bytes = new byte[64 << 10];
                            random.nextBytes(bytes);
                            return new Tuple2<>(i, bytes);
                          })
                      .iterator();
                })
            .partitionBy(new HashPartitioner(4))
            .mapToPair(pair -> new Tuple2<>(pair._1(), Arrays.hashCode(pair._2())))
            .reduceByKey(Integer::sum, 4)
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
  }

  static JobResult twoStages(SparkSession spark, BufferedReader input) {
    return JobResult.ofUnordered(
        pairs(spark, 60_000, 10_000)
            .groupByKey(7)
            .mapToPair(group -> new Tuple2<>(group._1() % 50, hashOf(group._2())))
            .reduceByKey((one, other) -> one + other, 5)
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
  }

  /** Writes a shuffle, pauses for the test, then reads it and writes a second one. */
  static JobResult pauseBetweenShuffles(SparkSession spark, BufferedReader input)
      throws IOException {
    JavaPairRDD<Integer, Iterable<String>> grouped = pairs(spark, 60_000, 10_000).groupByKey(7);
    List<String> rows = new ArrayList<>(List.of("groups " + grouped.count()));
    Pause.untilResumed("pause:between-shuffles", input);
    rows.addAll(
        grouped
            .mapToPair(group -> new Tuple2<>(group._1() % 50, hashOf(group._2())))
            .reduceByKey((one, other) -> one + other, 5)
            .map(pair -> pair._1() + ":" + pair._2())
            .collect());
    Collections.sort(rows);
    return JobResult.ofOrdered(rows);
  }
}
