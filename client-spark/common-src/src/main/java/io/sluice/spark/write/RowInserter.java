package io.sluice.spark.write;

import io.sluice.spark.RowSerializer;
import java.io.IOException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Inserts rows of Spark SQL with the bytes that their serializer writes, but without its stream.
 */
final class RowInserter implements RecordInserter {
  private final RowSerializer serializer;
  private long rowBytes;

  RowInserter(RowSerializer serializer) {
    this.serializer = serializer;
  }

  @Override
  public void insert(PartitionSorter sorter, int partition, Object key, Object value)
      throws IOException {
    UnsafeRow row = (UnsafeRow) value;
    int length = row.getSizeInBytes();
    sorter.insertAfterLength(row.getBaseObject(), row.getBaseOffset(), length, partition);
    rowBytes += length;
  }

  @Override
  public void end() {
    serializer.addDataSize(rowBytes);
  }
}
