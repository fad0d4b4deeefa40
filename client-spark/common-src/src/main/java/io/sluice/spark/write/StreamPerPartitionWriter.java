package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writer with one open serialization stream per partition, for a serializer whose records cannot be
 * reordered, without map-side combining, and with few partitions. Like Spark's writer for this case
 * it never keeps a record as an object, so callers may reuse objects up to the same number of
 * partitions.
 */
public final class StreamPerPartitionWriter<K, V> extends SluiceWriter<K, V> {
  /**
   * Maximum bytes buffered by all open streams; small enough not to be accounted as task memory.
   */
  private static final int MAX_OPEN_BYTES = 16 << 20;

  private static final int MIN_BLOCK_BYTES = 4096;

  private final Partitioner partitioner;
  private final SerializerInstance serializer;
  private final int blockBytes;
  private BlockSerializer[] partitions;

  /**
   * @param output takes
   * @param blockBytes uncompressed size of a block
   */
  public StreamPerPartitionWriter(
      Partitioner partitioner,
      Serializer serializer,
      TaskContext context,
      long mapId,
      MapOutput output,
      int blockBytes) {
    super(context, mapId, output);
    this.partitioner = partitioner;
    this.serializer = serializer.newInstance();
    int share = MAX_OPEN_BYTES / partitioner.numPartitions();
    this.blockBytes = Math.min(blockBytes, Math.max(MIN_BLOCK_BYTES, share));
    this.partitions = new BlockSerializer[partitioner.numPartitions()];
  }

  @Override
  void writeAll(Iterator<Product2<K, V>> records) throws IOException {
    while (records.hasNext()) {
      Product2<K, V> record = records.next();
      int partition = partitioner.getPartition(record._1());
      BlockSerializer blocks = partitions[partition];
      if (blocks == null) {
        blocks = new BlockSerializer(serializer, output(), partition, blockBytes);
        partitions[partition] = blocks;
      }
      blocks.add(record._1(), record._2());
    }
    output().beginFinalPass();
    for (BlockSerializer blocks : partitions) {
      if (blocks != null) {
        blocks.flush();
      }
    }
  }

  @Override
  void release() {
    partitions = new BlockSerializer[0];
  }
}
