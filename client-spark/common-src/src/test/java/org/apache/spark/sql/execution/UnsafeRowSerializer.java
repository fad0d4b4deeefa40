package org.apache.spark.sql.execution;

import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;

/**
 * Has the name and the private field of Spark SQL's class, which is not on the class path of these
 * tests. {@code RowEncodingTest} runs with the class of Spark.
 */
public final class UnsafeRowSerializer extends Serializer {
  @SuppressWarnings("unused") // Read by reflection.
  private final int numFields;

  public UnsafeRowSerializer(int numFields) {
    this.numFields = numFields;
  }

  @Override
  public SerializerInstance newInstance() {
    throw new UnsupportedOperationException();
  }
}
