package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.unsafe.Platform;
import scala.Product2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Writer of nearly every shuffle: serializes each record on arrival and sorts the bytes. Requires a
 * serializer whose serialized records can be reordered, and no map-side combining. The caller may
 * reuse a record's objects after each record.
 */
public final class SerializedWriter<K, V> extends SluiceWriter<K, V> {
  private static final ClassTag<Object> OBJECT = ClassTag$.MODULE$.Object();
  private static final int BUFFER_BYTES = 1 << 20;

  private final TaskContext context;
  private final Partitioner partitioner;
  private final RecordBuffer buffer = new RecordBuffer(4096);
  private final SerializationStream stream;
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
    this.stream = serializer.newInstance().serializeStream(buffer);
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
      int partition = partitioner.getPartition(key);
      buffer.clear(BUFFER_BYTES);
      stream.writeKey(key, OBJECT);
      stream.writeValue(record._2(), OBJECT);
      stream.flush();
      sorter.insert(buffer.array(), Platform.BYTE_ARRAY_OFFSET, buffer.size(), partition);
    }
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
