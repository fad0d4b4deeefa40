package org.apache.spark.sql.execution;

import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.util.LongAccumulator;

/**
 * Has the name and the private fields of Spark SQL's class, which is not on the class path of these
 * tests. {@code RowEncodingTest} runs with the class of Spark.
 */
@SuppressWarnings("unused") // Read by reflection.
public final class UnsafeRowSerializer extends Serializer {
  private final int numFields;
  private final LongAccumulator dataSize;

  public UnsafeRowSerializer(int numFields) {
    this(numFields, null);
  }

  public UnsafeRowSerializer(int numFields, LongAccumulator dataSize) {
    this.numFields = numFields;
    this.dataSize = dataSize;
  }

  @Override
  public boolean supportsRelocationOfSerializedObjects() {
    return true;
  }

  @Override
  public SerializerInstance newInstance() {
    throw new UnsupportedOperationException();
  }
}
