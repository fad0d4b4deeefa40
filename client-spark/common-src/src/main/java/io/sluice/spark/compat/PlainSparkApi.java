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
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/** Spark 3.4, 3.5 and 4.0. */
class PlainSparkApi implements SparkApi {
  @Override
  public MapStatus mapStatus(BlockManagerId location, long[] lengths, long mapId, long checksum) {
    return MapStatus$.MODULE$.apply(location, lengths, mapId);
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
    return new ExternalSorter<>(context, aggregator, partitioner, ordering, serializer);
  }

  @Override
  public Optional<RowObserver> rowObserver(ShuffleDependency<?, ?, ?> dependency) {
    return Optional.empty();
  }

  private static final class Status extends SluiceShuffleStatus {
    Status(int maps, int partitions) {
      super(maps, partitions);
    }

    @Override
    public void addMapOutput(int mapIndex, MapStatus output) {
      beforeAdding(output);
      super.addMapOutput(mapIndex, output);
    }
  }
}
