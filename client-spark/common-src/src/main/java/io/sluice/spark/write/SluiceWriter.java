package io.sluice.spark.write;

import io.sluice.spark.compat.RowObserver;
import io.sluice.spark.compat.SparkApi;
import io.sluice.spark.compat.SparkApis;
import java.io.IOException;
import java.util.Objects;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.util.TaskCompletionListener;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * What all writers of a map attempt have in common: the output is finished when the records are
 * through, reported to Spark once, and given up on every other way out.
 */
public abstract class SluiceWriter<K, V> extends ShuffleWriter<K, V> {
  private final long mapId;
  private final MapOutput output;
  private final SparkApi spark = SparkApis.current();
  private ShuffleDependency<K, V, ?> observed;
  private MapStatus status;
  private boolean stopped;

  SluiceWriter(TaskContext context, long mapId, MapOutput output) {
    this.mapId = mapId;
    this.output = Objects.requireNonNull(output);
    // stop() is not called after an Error; this is.
    TaskCompletionListener closer = ended -> close();
    context.addTaskCompletionListener(closer);
  }

  /** Gives every record to the output, as blocks. */
  abstract void writeAll(Iterator<Product2<K, V>> records) throws IOException;

  /** Returns memory and temporary files. Idempotent. */
  abstract void release();

  final MapOutput output() {
    return output;
  }

  /**
   * Has Spark see each record before it is written, if it wants to; call before {@link #write}.
   *
   * @param dependency the task's own copy
   */
  public final SluiceWriter<K, V> observedFor(ShuffleDependency<K, V, ?> dependency) {
    observed = dependency;
    return this;
  }

  @Override
  public final void write(Iterator<Product2<K, V>> records) throws IOException {
    RowObserver observer = observed == null ? null : spark.rowObserver(observed).orElse(null);
    try {
      writeAll(
          observer == null
              ? records
              : new ObservedRecords<>(records, observed.partitioner(), observer));
    } finally {
      release();
    }
    output.finish();
    status =
        spark.mapStatus(
            output.location(),
            output.partitionLengths(),
            mapId,
            observer == null ? SparkApi.NO_CHECKSUM : observer.checksum());
  }

  @Override
  public final Option<MapStatus> stop(boolean success) {
    if (stopped) {
      return Option.empty();
    }
    stopped = true;
    close();
    return success ? Option.apply(status) : Option.empty();
  }

  @Override
  public final long[] getPartitionLengths() {
    return output.partitionLengths();
  }

  private void close() {
    release();
    output.close();
  }
}
