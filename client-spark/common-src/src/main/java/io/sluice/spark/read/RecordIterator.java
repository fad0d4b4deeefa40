package io.sluice.spark.read;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
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
  private final SerializerInstance serializer;
  private final BlockInputStream stream;
  private final boolean joined;
  private final ShuffleReadMetricsReporter metrics;
  private final TaskContext context;
  private Iterator<Tuple2<Object, Object>> decoded;
  private boolean ended;

  /**
   * @param contents takes
   */
  RecordIterator(
      BlockContents contents,
      Serializer serializer,
      ShuffleReadMetricsReporter metrics,
      TaskContext context) {
    this.contents = contents;
    this.serializer = serializer.newInstance();
    this.joined = serializer.supportsRelocationOfSerializedObjects();
    this.stream = new BlockInputStream(contents, joined);
    this.metrics = metrics;
    this.context = context;
    if (joined) {
      decoded = this.serializer.deserializeStream(stream).asKeyValueIterator();
    }
  }

  @Override
  public boolean hasNext() {
    while (!ended && (decoded == null || !hasDecoded())) {
      if (joined || !advance()) {
        ended = true;
        contents.close();
        context.taskMetrics().mergeShuffleReadMetrics();
      }
    }
    return !ended;
  }

  @Override
  public Tuple2<Object, Object> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("every record of the partition has been read");
    }
    metrics.incRecordsRead(1);
    try {
      return decoded.next();
    } catch (Exception e) {
      throw afterReceipts(e);
    }
  }

  private boolean hasDecoded() {
    try {
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

  private boolean advance() {
    try {
      if (!stream.advance()) {
        return false;
      }
    } catch (IOException e) {
      // Scala iterators declare no exceptions; Spark expects the original exception.
      Platform.throwException(e);
    }
    decoded = serializer.deserializeStream(stream).asKeyValueIterator();
    return true;
  }
}
