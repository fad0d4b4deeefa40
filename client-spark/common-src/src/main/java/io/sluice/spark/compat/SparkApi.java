package io.sluice.spark.compat;

import java.util.Optional;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/** Calls into Spark that differ between the versions of Spark that one jar runs on. */
public interface SparkApi {
  /** The value that Spark takes for "no checksum". */
  long NO_CHECKSUM = 0;

  /**
   * What a map attempt reports.
   *
   * @param lengths bytes per reduce partition; borrowed
   * @param checksum what {@link #rowObserver} came to, or {@link #NO_CHECKSUM}; a Spark that knows
   *     none ignores it
   */
  MapStatus mapStatus(BlockManagerId location, long[] lengths, long mapId, long checksum);

  /**
   * The map statuses of a shuffle that goes through Sluice, for the driver's map output tracker.
   *
   * @param maps the number of map tasks
   * @param partitions the number of partitions
   */
  ShuffleStatus shuffleStatus(int maps, int partitions);

  /** Spark's sorter of records, without checksums of its own. */
  <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context,
      Option<Aggregator<K, V, C>> aggregator,
      Option<Partitioner> partitioner,
      Option<Ordering<K>> ordering,
      Serializer serializer);

  /**
   * The observer of a task's records; empty if Spark wants none. Its state lies in the dependency,
   * of which each task has its own copy.
   */
  Optional<RowObserver> rowObserver(ShuffleDependency<?, ?, ?> dependency);
}
