package io.sluice.spark.read;

import io.sluice.spark.compat.SparkApis;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.RecordDecoder;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Reads a range of reduce partitions; aggregates and sorts the records as their dependency
 * requires.
 */
public final class SluiceReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleDependency<K, ?, C> dependency;
  private final BlockContents contents;
  private final RecordDecoder decoder;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;

  /**
   * @param contents takes: closed after the last record, at the latest when the task ends
   * @param decoder decodes the contents
   */
  public SluiceReader(
      ShuffleDependency<K, ?, C> dependency,
      BlockContents contents,
      RecordDecoder decoder,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.dependency = dependency;
    this.contents = contents;
    this.decoder = decoder;
    this.context = context;
    this.metrics = metrics;
    TaskCompletionListener closer = ended -> contents.close();
    context.addTaskCompletionListener(closer);
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    RecordIterator records = new RecordIterator(contents, decoder, metrics, context);
    // A cancelled task stops between two records.
    Iterator<Tuple2<Object, Object>> interruptible = new InterruptibleIterator<>(context, records);
    Iterator<Product2<K, C>> aggregated = aggregate(interruptible);
    if (dependency.keyOrdering().isDefined()) {
      ExternalSorter<K, C, C> sorter =
          SparkApis.current()
              .sorter(
                  context,
                  Option.empty(),
                  Option.empty(),
                  dependency.keyOrdering(),
                  dependency.serializer());
      aggregated = sorter.insertAllAndUpdateMetrics(aggregated);
    }
    if (aggregated instanceof InterruptibleIterator) {
      return aggregated;
    }
    // Aggregating or sorting has consumed the first one.
    return new InterruptibleIterator<>(context, aggregated);
  }

  /** Only the dependency knows the record type: (K, V), or (K, C) after map-side combining. */
  @SuppressWarnings("unchecked")
  private Iterator<Product2<K, C>> aggregate(Iterator<Tuple2<Object, Object>> records) {
    if (dependency.aggregator().isEmpty()) {
      return (Iterator<Product2<K, C>>) (Iterator<?>) records;
    }
    if (dependency.mapSideCombine()) {
      Aggregator<K, ?, C> aggregator = dependency.aggregator().get();
      return (Iterator<Product2<K, C>>)
          (Iterator<?>)
              aggregator.combineCombinersByKey(
                  (Iterator<Product2<K, C>>) (Iterator<?>) records, context);
    }
    Aggregator<K, Object, C> aggregator = (Aggregator<K, Object, C>) dependency.aggregator().get();
    return (Iterator<Product2<K, C>>)
        (Iterator<?>)
            aggregator.combineValuesByKey(
                (Iterator<Product2<K, Object>>) (Iterator<?>) records, context);
  }
}
