package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.unsafe.Platform;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Serializes with a stream of Spark's serializer, whose records can be reordered. */
final class StreamInserter implements RecordInserter {
  private static final ClassTag<Object> OBJECT = ClassTag$.MODULE$.Object();
  private static final int BUFFER_BYTES = 1 << 20;

  private final RecordBuffer buffer = new RecordBuffer(4096);
  private final SerializationStream stream;

  StreamInserter(Serializer serializer) {
    this.stream = serializer.newInstance().serializeStream(buffer);
  }

  @Override
  public void insert(PartitionSorter sorter, int partition, Object key, Object value)
      throws IOException {
    buffer.clear(BUFFER_BYTES);
    stream.writeKey(key, OBJECT);
    stream.writeValue(value, OBJECT);
    stream.flush();
    sorter.insert(buffer.array(), Platform.BYTE_ARRAY_OFFSET, buffer.size(), partition);
  }

  @Override
  public void end() {
    // The serializer updates its metrics with each record.
  }
}
