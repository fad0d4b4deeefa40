package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Serializes the records of one partition into blocks. Each block is a separate serialization
 * stream, so a reader can decode it without earlier blocks.
 */
final class BlockSerializer {
  private static final ClassTag<Object> OBJECT = ClassTag$.MODULE$.Object();
  private static final int FIRST_BYTES = 1024;

  private final SerializerInstance serializer;
  private final MapOutput output;
  private final int partition;
  private final int blockBytes;
  private RecordBuffer buffer;
  private SerializationStream stream;
  private int records;

  BlockSerializer(SerializerInstance serializer, MapOutput output, int partition, int blockBytes) {
    this.serializer = serializer;
    this.output = output;
    this.partition = partition;
    this.blockBytes = blockBytes;
  }

  void add(Object key, Object value) throws IOException {
    if (stream == null) {
      buffer = buffer == null ? new RecordBuffer(FIRST_BYTES) : buffer;
      stream = serializer.serializeStream(buffer);
    }
    stream.writeKey(key, OBJECT);
    stream.writeValue(value, OBJECT);
    records++;
    // The stream itself buffers a few KiB more.
    if (buffer.size() >= blockBytes) {
      flush();
    }
  }

  /** Writes the open block to the output, if there is one. */
  void flush() throws IOException {
    if (stream != null) {
      stream.close();
      stream = null;
      output.add(partition, buffer.array(), buffer.size(), records);
      records = 0;
      buffer.clear(blockBytes * 2);
    }
  }
}
