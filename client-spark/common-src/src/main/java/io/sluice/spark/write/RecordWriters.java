package io.sluice.spark.write;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;

/**
 * Selects the writer of a map attempt's records.
 *
 * @param spillBytes task memory at which a writer pushes its buffered records
 * @param blockBytes uncompressed size of a block
 * @param maxOpenStreams maximum number of partitions for which a writer keeps one open stream each
 */
public record RecordWriters(long spillBytes, int blockBytes, int maxOpenStreams) {
  /**
   * @param output takes
   */
  public <K, V, C> SluiceWriter<K, V> writer(
      ShuffleDependency<K, V, C> dependency, TaskContext context, long mapId, MapOutput output) {
    if (dependency.mapSideCombine()) {
      return new ObjectWriter<>(dependency, context, mapId, output, blockBytes);
    }
    if (dependency.serializer().supportsRelocationOfSerializedObjects()) {
      return new SerializedWriter<>(
          dependency.partitioner(),
          dependency.serializer(),
          context,
          mapId,
          output,
          spillBytes,
          blockBytes);
    }
    if (dependency.partitioner().numPartitions() <= maxOpenStreams) {
      return new StreamPerPartitionWriter<>(
          dependency.partitioner(), dependency.serializer(), context, mapId, output, blockBytes);
    }
    return new ObjectWriter<>(dependency, context, mapId, output, blockBytes);
  }
}
