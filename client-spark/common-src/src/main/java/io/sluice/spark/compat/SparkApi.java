package io.sluice.spark.compat;

import java.util.Optional;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/** Calls into Spark that differ between the versions of Spark that one jar runs on. */
public interface SparkApi {
  /** Spark's value for "no checksum". */
  long NO_CHECKSUM = 0;

  /**
   * The map status that a map attempt reports to the driver.
   *
   * @param lengths bytes per reduce partition; borrowed
   * @param checksum result of {@link #rowObserver}, or {@link #NO_CHECKSUM}; ignored before Spark
   *     4.1
   */
  MapStatus mapStatus(BlockManagerId location, long[] lengths, long mapId, long checksum);

  /**
   * The map statuses of a shuffle that goes through Sluice, for the driver's map output tracker.
   *
   * @param maps the number of map tasks
   * @param partitions the number of partitions
   */
  ShuffleStatus shuffleStatus(int maps, int partitions);

  /** Spark's record sorter, without row checksums. */
  <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context,
      Option<Aggregator<K, V, C>> aggregator,
      Option<Partitioner> partitioner,
      Option<Ordering<K>> ordering,
      Serializer serializer);

  /**
   * The observer of a task's records; empty if Spark requests no row checksum. Its state is in the
   * dependency, and each task has its own copy of that.
   */
  Optional<RowObserver> rowObserver(ShuffleDependency<?, ?, ?> dependency);

  /** Adds to the time that a task's requests for remote data took; ignored before Spark 3.4. */
  default void addRemoteRequestMs(ShuffleReadMetricsReporter metrics, long ms) {
    metrics.incRemoteReqsDuration(ms);
  }
}
