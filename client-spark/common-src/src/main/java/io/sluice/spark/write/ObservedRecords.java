package io.sluice.spark.write;

import io.sluice.spark.compat.RowObserver;
import org.apache.spark.Partitioner;
import scala.Product2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Passes each record to an observer before the writer receives it. Owned by the task thread. */
final class ObservedRecords<K, V> extends AbstractIterator<Product2<K, V>> {
  private final Iterator<Product2<K, V>> records;
  private final Partitioner partitioner;
  private final RowObserver observer;

  ObservedRecords(Iterator<Product2<K, V>> records, Partitioner partitioner, RowObserver observer) {
    this.records = records;
    this.partitioner = partitioner;
    this.observer = observer;
  }

  @Override
  public boolean hasNext() {
    return records.hasNext();
  }

  @Override
  public Product2<K, V> next() {
    Product2<K, V> record = records.next();
    K key = record._1();
    observer.add(partitioner.getPartition(key), key, record._2());
    return record;
  }
}
