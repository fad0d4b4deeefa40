package io.sluice.spark.write;

import io.sluice.spark.compat.SparkApis;
import java.io.IOException;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Writer for records that cannot be sorted as bytes: with map-side combining, or with a serializer
 * whose records depend on earlier ones (Java serialization). Spark's {@code ExternalSorter}
 * combines and sorts by partition, and spills to local disk if needed. The result is serialized
 * partition by partition.
 */
public final class ObjectWriter<K, V, C> extends SluiceWriter<K, V> {
  private final ShuffleDependency<K, V, C> dependency;
  private final TaskContext context;
  private final int blockBytes;
  private ExternalSorter<K, V, ?> sorter;

  /**
   * @param output takes
   * @param blockBytes uncompressed size of a block
   */
  public ObjectWriter(
      ShuffleDependency<K, V, C> dependency,
      TaskContext context,
      long mapId,
      MapOutput output,
      int blockBytes) {
    super(context, mapId, output);
    this.dependency = dependency;
    this.context = context;
    this.blockBytes = blockBytes;
  }

  @Override
  void writeAll(Iterator<Product2<K, V>> records) throws IOException {
    if (dependency.mapSideCombine()) {
      ExternalSorter<K, V, C> combining =
          SparkApis.current()
              .sorter(
                  context,
                  dependency.aggregator(),
                  Option.apply(dependency.partitioner()),
                  dependency.keyOrdering(),
                  dependency.serializer());
      sorter = combining;
      combining.insertAll(records);
      writeSorted(combining.partitionedIterator());
    } else {
      // The reader sorts within a partition, as in Spark's sort shuffle.
      ExternalSorter<K, V, V> grouping =
          SparkApis.current()
              .sorter(
                  context,
                  Option.empty(),
                  Option.apply(dependency.partitioner()),
                  Option.empty(),
                  dependency.serializer());
      sorter = grouping;
      grouping.insertAll(records);
      writeSorted(grouping.partitionedIterator());
    }
  }

  private <X> void writeSorted(Iterator<Tuple2<Object, Iterator<Product2<K, X>>>> partitions)
      throws IOException {
    output().beginFinalPass();
    SerializerInstance serializer = dependency.serializer().newInstance();
    while (partitions.hasNext()) {
      Tuple2<Object, Iterator<Product2<K, X>>> partition = partitions.next();
      Iterator<Product2<K, X>> elements = partition._2();
      BlockSerializer blocks =
          new BlockSerializer(serializer, output(), (Integer) partition._1(), blockBytes);
      while (elements.hasNext()) {
        Product2<K, X> element = elements.next();
        blocks.add(element._1(), element._2());
      }
      blocks.flush();
    }
  }

  @Override
  void release() {
    if (sorter != null) {
      TaskMetrics metrics = context.taskMetrics();
      metrics.incMemoryBytesSpilled(sorter.memoryBytesSpilled());
      metrics.incDiskBytesSpilled(sorter.diskBytesSpilled());
      metrics.incPeakExecutionMemory(sorter.peakMemoryUsedBytes());
      sorter.stop();
      sorter = null;
    }
  }
}
