package io.sluice.spark.read;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.spark.unsafe.Platform;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/**
 * Records of block contents. Scala iterators declare no exceptions, and Spark expects the original
 * ones, so checked exceptions are thrown as they are.
 */
abstract class DecodedRecords extends AbstractIterator<Tuple2<Object, Object>> {
  /** Whether there is another record. May take the next content. */
  abstract boolean find() throws IOException;

  /** Returns the record that {@link #find} has found. */
  abstract Tuple2<Object, Object> take() throws IOException;

  @Override
  public final boolean hasNext() {
    try {
      return find();
    } catch (IOException e) {
      Platform.throwException(e);
      return false;
    }
  }

  @Override
  public final Tuple2<Object, Object> next() {
    try {
      if (find()) {
        return take();
      }
    } catch (IOException e) {
      Platform.throwException(e);
    }
    throw new NoSuchElementException("every record has been read");
  }
}
