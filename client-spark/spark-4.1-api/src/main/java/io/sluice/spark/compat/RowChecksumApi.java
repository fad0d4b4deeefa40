package io.sluice.spark.compat;

import io.sluice.spark.SluiceShuffleStatus;
import java.util.Optional;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Spark 4.1 and later: a map attempt reports a checksum over its records. Spark compares it to
 * detect that a repeated map task wrote different records; tasks that read the first ones then run
 * again. Without it a job with a nondeterministic row order could return wrong results.
 */
public final class RowChecksumApi implements SparkApi {
  @Override
  public MapStatus mapStatus(BlockManagerId location, long[] lengths, long mapId, long checksum) {
    return MapStatus$.MODULE$.apply(location, lengths, mapId, checksum);
  }

  @Override
  public ShuffleStatus shuffleStatus(int maps, int partitions) {
    return new Status(maps, partitions);
  }

  @Override
  public <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context,
      Option<Aggregator<K, V, C>> aggregator,
      Option<Partitioner> partitioner,
      Option<Ordering<K>> ordering,
      Serializer serializer) {
    return new ExternalSorter<>(
        context, aggregator, partitioner, ordering, serializer, new RowBasedChecksum[0]);
  }

  @Override
  public Optional<RowObserver> rowObserver(ShuffleDependency<?, ?, ?> dependency) {
    RowBasedChecksum[] checksums = dependency.rowBasedChecksums();
    return checksums.length == 0 ? Optional.empty() : Optional.of(new Observer(checksums));
  }

  /** Observes the records of one task. */
  private static final class Observer implements RowObserver {
    private final RowBasedChecksum[] checksums;

    Observer(RowBasedChecksum[] checksums) {
      this.checksums = checksums;
    }

    @Override
    public void add(int partition, Object key, Object value) {
      checksums[partition].update(key, value);
    }

    @Override
    public long checksum() {
      return RowBasedChecksum.getAggregatedChecksumValue(checksums);
    }
  }

  private static final class Status extends SluiceShuffleStatus {
    Status(int maps, int partitions) {
      super(maps, partitions);
    }

    @Override
    public boolean addMapOutput(int mapIndex, MapStatus output) {
      beforeAdding(output);
      return super.addMapOutput(mapIndex, output);
    }
  }
}
