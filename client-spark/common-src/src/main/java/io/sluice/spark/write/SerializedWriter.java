package io.sluice.spark.write;

import io.sluice.spark.RowSerializer;
import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writer of nearly every shuffle: serializes each record on arrival and sorts the bytes. Requires a
 * serializer whose serialized records can be reordered, and no map-side combining. The caller may
 * reuse a record's objects after each record.
 */
public final class SerializedWriter<K, V> extends SluiceWriter<K, V> {
  private final TaskContext context;
  private final Partitioner partitioner;
  private final RecordInserter inserter;
  private PartitionSorter sorter;

  /**
   * @param output takes
   * @param spillBytes task memory at which to push buffered records; raised for many partitions
   * @param blockBytes uncompressed size of a block
   */
  public SerializedWriter(
      Partitioner partitioner,
      Serializer serializer,
      TaskContext context,
      long mapId,
      MapOutput output,
      long spillBytes,
      int blockBytes) {
    super(context, mapId, output);
    this.context = context;
    this.partitioner = partitioner;
    this.inserter =
        RowSerializer.of(serializer)
            .<RecordInserter>map(RowInserter::new)
            .orElseGet(() -> new StreamInserter(serializer));
    this.sorter =
        new PartitionSorter(
            context.taskMemoryManager(),
            output,
            PartitionSorter.flushThresholdBytes(spillBytes, partitioner.numPartitions()),
            blockBytes);
  }

  @Override
  void writeAll(Iterator<Product2<K, V>> records) throws IOException {
    while (records.hasNext()) {
      Product2<K, V> record = records.next();
      K key = record._1();
      inserter.insert(sorter, partitioner.getPartition(key), key, record._2());
    }
    inserter.end();
    sorter.finish();
  }

  @Override
  void release() {
    if (sorter != null) {
      context.taskMetrics().incPeakExecutionMemory(sorter.peakBytes());
      sorter.release();
      sorter = null;
    }
  }
}
