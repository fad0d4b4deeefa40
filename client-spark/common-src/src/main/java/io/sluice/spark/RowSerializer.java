package io.sluice.spark;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.util.AccumulatorV2;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark SQL's serializer of rows, whose class is not public. Its streams have nothing but rows in
 * UnsafeRow format, each after its length of four bytes, big-endian; keys are not written. So rows
 * can be written and read without its streams. Thread-safe.
 */
public final class RowSerializer {
  private static final Logger LOG = LoggerFactory.getLogger(RowSerializer.class);
  private static final String NAME = "org.apache.spark.sql.execution.UnsafeRowSerializer";

  private final int fields;
  private final AccumulatorV2<Object, ?> dataSize;

  private RowSerializer(int fields, AccumulatorV2<Object, ?> dataSize) {
    this.fields = fields;
    this.dataSize = dataSize;
  }

  /** Empty if this serializer is another one. */
  public static Optional<RowSerializer> of(Serializer serializer) {
    if (!serializer.getClass().getName().equals(NAME)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new RowSerializer(
              (int) value(serializer, "numFields"), accumulator(value(serializer, "dataSize"))));
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("rows are serialized in streams: {} is not as expected", NAME, e);
      return Optional.empty();
    }
  }

  private static Object value(Serializer serializer, String name)
      throws ReflectiveOperationException {
    Field field = serializer.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(serializer);
  }

  /** Its type in Spark SQL is SQLMetric, whose input is a long. */
  @SuppressWarnings("unchecked")
  private static AccumulatorV2<Object, ?> accumulator(Object metric) {
    return (AccumulatorV2<Object, ?>) metric;
  }

  /** Number of fields of every row. */
  public int fields() {
    return fields;
  }

  /** Adds bytes of written rows to Spark's metric "data size". */
  public void addDataSize(long bytes) {
    if (dataSize != null) {
      dataSize.add(bytes);
    }
  }
}
