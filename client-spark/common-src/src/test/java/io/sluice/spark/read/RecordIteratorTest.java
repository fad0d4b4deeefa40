package io.sluice.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.engine.BlockContents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.serializer.JavaSerializer;
import org.junit.jupiter.api.Test;

/** Goal: bytes that cannot be decoded because they are wrong are not blamed on the serializer. */
class RecordIteratorTest {
  private final Deque<Object> script = new ArrayDeque<>();
  private final TaskContext context = TaskContext$.MODULE$.empty();

  private final BlockContents contents =
      new BlockContents() {
        @Override
        public ByteBuffer next() throws IOException {
          Object next = script.poll();
          if (next instanceof IOException failure) {
            throw failure;
          }
          if (next instanceof RuntimeException failure) {
            throw failure;
          }
          return (ByteBuffer) next;
        }

        @Override
        public void close() {}
      };

  private RecordIterator records() {
    return new RecordIterator(
        contents,
        SerializerDecoder.of(new JavaSerializer(new SparkConf(false))),
        context.taskMetrics().createTempShuffleReadMetrics(),
        context);
  }

  private static ByteBuffer garbage() {
    byte[] bytes = {(byte) 0xAC, (byte) 0xED, 0, 5, 0x70, 0x7F};
    return ByteBuffer.wrap(bytes);
  }

  private static void readAll(RecordIterator records) {
    while (records.hasNext()) {
      records.next();
    }
  }

  @Test
  void failsForTheReceiptAndNotForTheBytes() {
    script.add(garbage());
    script.add(garbage());
    script.add(new IllegalStateException("receipt"));

    assertThatThrownBy(() -> readAll(records())).hasMessage("receipt");
    assertThat(script).isEmpty();
  }

  @Test
  void failsForTheBytesIfTheyAreThoseOfTheMapTask() {
    script.add(garbage());
    script.add(garbage());

    assertThatThrownBy(() -> readAll(records())).hasMessageNotContaining("receipt");
    assertThat(script).isEmpty();
  }
}
