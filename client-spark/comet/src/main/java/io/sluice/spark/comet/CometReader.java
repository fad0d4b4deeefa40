package io.sluice.spark.comet;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.sql.comet.execution.shuffle.CometBlockStoreShuffleReader;
import scala.Product2;
import scala.collection.Iterator;
import scala.collection.Iterator$;

/**
 * Reads batches through Sluice. Comet's operators cast every reader to the base class, of which
 * nothing else is used.
 */
final class CometReader<K, C> extends CometBlockStoreShuffleReader<K, C> {
  private final ShuffleReader<K, C> reader;

  /**
   * @param reader takes
   */
  CometReader(
      BaseShuffleHandle<K, ?, C> handle,
      ShuffleReader<K, C> reader,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    super(
        handle,
        none(),
        context,
        metrics,
        SparkEnv.get().serializerManager(),
        SparkEnv.get().blockManager(),
        SparkEnv.get().mapOutputTracker(),
        false);
    this.reader = reader;
  }

  @SuppressWarnings("unchecked") // An empty iterator has elements of any type.
  private static <T> Iterator<T> none() {
    return (Iterator<T>) (Iterator<?>) Iterator$.MODULE$.empty();
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    return reader.read();
  }
}
