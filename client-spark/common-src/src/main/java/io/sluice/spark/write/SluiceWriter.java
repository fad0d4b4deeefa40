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
 * Base class of all writers of a map attempt. Finishes the output after the last record and reports
 * its status to Spark once; aborts the output on any failure.
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
    // Spark does not call stop() after an Error, but it calls this listener.
    TaskCompletionListener closer = ended -> close();
    context.addTaskCompletionListener(closer);
  }

  /** Writes every record to the output, as blocks. */
  abstract void writeAll(Iterator<Product2<K, V>> records) throws IOException;

  /** Returns memory and temporary files. Idempotent. */
  abstract void release();

  final MapOutput output() {
    return output;
  }

  /**
   * Enables Spark's row observer, if Spark requests one; call before {@link #write}.
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
