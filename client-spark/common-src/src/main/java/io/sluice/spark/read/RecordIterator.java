package io.sluice.spark.read;

import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.RecordDecoder;
import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.unsafe.Platform;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Decodes block contents into records and counts them. After the last record it closes the contents
 * and updates the task's read metrics.
 *
 * <p>If records cannot be decoded, it reads the contents to their end first: bytes that are not
 * those of the map task then fail the read with a fetch failure, and the map task runs again.
 */
final class RecordIterator extends AbstractIterator<Tuple2<Object, Object>> {
  private final BlockContents contents;
  private final RecordDecoder decoder;
  private final ShuffleReadMetricsReporter metrics;
  private final TaskContext context;
  private Iterator<Tuple2<Object, Object>> decoded;
  private boolean ended;

  /**
   * @param contents takes
   */
  RecordIterator(
      BlockContents contents,
      RecordDecoder decoder,
      ShuffleReadMetricsReporter metrics,
      TaskContext context) {
    this.contents = contents;
    this.decoder = decoder;
    this.metrics = metrics;
    this.context = context;
  }

  @Override
  public boolean hasNext() {
    if (!ended && !hasDecoded()) {
      ended = true;
      contents.close();
      context.taskMetrics().mergeShuffleReadMetrics();
    }
    return !ended;
  }

  @Override
  public Tuple2<Object, Object> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("every record of the partition has been read");
    }
    try {
      Tuple2<Object, Object> record = decoded.next();
      metrics.incRecordsRead(decoder.rows(record));
      return record;
    } catch (Exception e) {
      throw afterReceipts(e);
    }
  }

  private boolean hasDecoded() {
    try {
      if (decoded == null) {
        decoded = decoder.decode(contents);
      }
      return decoded.hasNext();
    } catch (Exception e) {
      throw afterReceipts(e);
    }
  }

  /**
   * Throws the failure of the contents, if they fail, or else this one of the serializer. Checked
   * exceptions are unchecked in Scala.
   */
  private RuntimeException afterReceipts(Exception failure) {
    try {
      while (contents.next() != null) {
        // Only the comparison with the receipts matters.
      }
    } catch (IOException e) {
      Platform.throwException(e);
    }
    Platform.throwException(failure);
    return new IllegalStateException(failure);
  }
}
