package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Uses lineage and map output statistics of a local Spark driver without Sluice. */
class SmallShufflesTest {
  @Test
  void isSmallOnlyIfItsInputIsKnownAndSmall() {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local[1]")
            .setAppName("small-shuffles")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      List<Integer> numbers = IntStream.range(0, 1000).boxed().toList();
      JavaPairRDD<Integer, Integer> counts =
          context
              .parallelize(numbers, 2)
              .mapToPair(number -> new Tuple2<>(number % 10, 1))
              .reduceByKey(Integer::sum, 3);
      JavaPairRDD<Integer, Integer> byCount =
          counts.mapToPair(pair -> new Tuple2<>(pair._2(), pair._1())).reduceByKey(Integer::sum, 2);
      MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
      SmallShuffles small = new SmallShuffles(1 << 20, tracker);

      assertThat(small.smallInput(mapsOf(byCount))).as("not computed yet").isEmpty();

      assertThat(counts.count()).isEqualTo(10);

      OptionalLong bytes = small.smallInput(mapsOf(byCount));
      assertThat(bytes).isPresent();
      assertThat(bytes.getAsLong()).isBetween(1L, 10_000L);
      assertThat(small.smallInput(mapsOf(counts))).as("reads other input than shuffles").isEmpty();
      assertThat(new SmallShuffles(1, tracker).smallInput(mapsOf(byCount)))
          .as("larger than the threshold")
          .isEmpty();
      assertThat(new SmallShuffles(0, tracker).smallInput(mapsOf(byCount))).as("off").isEmpty();
    }
  }

  private static RDD<?> mapsOf(JavaPairRDD<Integer, Integer> reduced) {
    return ((ShuffleDependency<?, ?, ?>) reduced.rdd().dependencies().head()).rdd();
  }
}
