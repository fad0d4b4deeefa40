package io.sluice.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.TestTask;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.write.CollectedOutput;
import io.sluice.spark.write.SerializedWriter;
import io.sluice.spark.write.StreamPerPartitionWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;

class RoundTripTest {
  private static final int PARTITIONS = 7;
  private static final HashPartitioner PARTITIONER = new HashPartitioner(PARTITIONS);

  private final CollectedOutput output = new CollectedOutput();
  private final TaskContextImpl task = TestTask.withMemory(32 << 20);

  private static final class ListContents implements BlockContents {
    private final Iterator<CollectedOutput.Block> blocks;
    boolean closed;

    ListContents(List<CollectedOutput.Block> blocks) {
      this.blocks = blocks.iterator();
    }

    @Override
    public ByteBuffer next() {
      return blocks.hasNext() ? ByteBuffer.wrap(blocks.next().bytes()) : null;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static Serializer serializer(String name) {
    SparkConf conf = new SparkConf(false);
    return name.equals("kryo") ? new KryoSerializer(conf) : new JavaSerializer(conf);
  }

  private ShuffleWriter<Object, Object> writer(Serializer serializer) {
    return serializer.supportsRelocationOfSerializedObjects()
        ? new SerializedWriter<>(PARTITIONER, serializer, task, 7, output, 2 << 20, 4096)
        : new StreamPerPartitionWriter<>(PARTITIONER, serializer, task, 7, output, 4096);
  }

  private static scala.collection.Iterator<Product2<Object, Object>> records(
      List<Tuple2<Object, Object>> list) {
    Iterator<Tuple2<Object, Object>> records = list.iterator();
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return records.hasNext();
      }

      @Override
      public Product2<Object, Object> next() {
        return records.next();
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"kryo", "java"})
  void readsBackWhatWasWritten(String name) throws IOException {
    Serializer serializer = serializer(name);
    Random random = new Random(11);
    Map<Integer, List<Tuple2<Object, Object>>> expected = new TreeMap<>();
    List<Tuple2<Object, Object>> all = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      // Partition 3 stays empty; some values are larger than a block.
      int key = random.nextInt(10_000) * PARTITIONS + (i % 3);
      String value = "v" + (i % 5_000 == 17 ? "x".repeat(50_000) : random.nextLong());
      Tuple2<Object, Object> record = new Tuple2<>(key, value);
      all.add(record);
      expected.computeIfAbsent(key % PARTITIONS, p -> new ArrayList<>()).add(record);
    }
    ShuffleWriter<Object, Object> writer = writer(serializer);
    writer.write(records(all));
    Option<MapStatus> status = writer.stop(true);

    assertThat(output.finished).isTrue();
    assertThat(output.closed).isTrue();
    assertThat(status.get().mapId()).isEqualTo(7);
    assertThat(status.get().getSizeForBlock(0)).isPositive();
    assertThat(task.taskMemoryManager().cleanUpAllAllocatedMemory()).isZero();
    assertThat(output.blocks.keySet()).isEqualTo(expected.keySet());
    long read = 0;
    for (int partition : expected.keySet()) {
      ListContents contents = new ListContents(output.blocks.get(partition));
      RecordIterator found =
          new RecordIterator(
              contents,
              SerializerDecoder.of(serializer),
              task.taskMetrics().createTempShuffleReadMetrics(),
              task);
      List<Tuple2<Object, Object>> back = new ArrayList<>();
      while (found.hasNext()) {
        back.add(found.next());
      }
      assertThat(back).isEqualTo(expected.get(partition));
      assertThat(contents.closed).isTrue();
      read += back.size();
      assertThat(task.taskMetrics().shuffleReadMetrics().recordsRead()).isEqualTo(read);
      assertThatThrownBy(found::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"kryo", "java"})
  void anAttemptThatFailsGivesItsOutputUp(String name) {
    ShuffleWriter<Object, Object> writer = writer(serializer(name));
    scala.collection.Iterator<Product2<Object, Object>> failing =
        new AbstractIterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Product2<Object, Object> next() {
            throw new IllegalStateException("upstream");
          }
        };

    assertThatThrownBy(() -> writer.write(failing)).hasMessage("upstream");
    assertThat(writer.stop(false).isEmpty()).isTrue();
    assertThat(output.finished).isFalse();
    assertThat(output.closed).isTrue();
    assertThat(task.taskMemoryManager().cleanUpAllAllocatedMemory()).isZero();
  }

  @Test
  void anAttemptThatIsNotStoppedAbortsItsOutputWhenItsTaskEnds() {
    writer(serializer("kryo"));

    task.markTaskCompleted(Option.empty());

    assertThat(output.closed).isTrue();
  }

  @Test
  void anEmptyAttemptFinishesWithoutBlocks() throws IOException {
    ShuffleWriter<Object, Object> writer = writer(serializer("kryo"));
    writer.write(records(List.of()));

    assertThat(output.finished).isTrue();
    assertThat(output.blocks).isEmpty();
  }
}
