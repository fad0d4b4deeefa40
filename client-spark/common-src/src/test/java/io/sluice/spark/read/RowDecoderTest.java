package io.sluice.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.TestTask;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.RecordDecoder;
import io.sluice.spark.write.CollectedOutput;
import io.sluice.spark.write.SerializedWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Rows are written and read without the serializer: the one of these tests has no streams. */
class RowDecoderTest {
  private static final int FIELDS = 2;
  private static final int PARTITIONS = 3;

  private final LongAccumulator dataSize = new LongAccumulator();
  private final UnsafeRowSerializer serializer = new UnsafeRowSerializer(FIELDS, dataSize);
  private final RecordDecoder decoder = SerializerDecoder.of(serializer);
  private final TaskContextImpl task = TestTask.withMemory(32 << 20);

  /** Overwrites each content when the next one is taken, as readers of blocks may do. */
  private static final class ReusedContents implements BlockContents {
    private final Deque<byte[]> contents;
    private byte[] lent = new byte[0];

    private ReusedContents(List<byte[]> contents) {
      this.contents = new ArrayDeque<>(contents);
    }

    @Override
    public ByteBuffer next() {
      Arrays.fill(lent, (byte) 0x55);
      byte[] next = contents.poll();
      if (next == null) {
        return null;
      }
      lent = new byte[next.length + 10];
      System.arraycopy(next, 0, lent, 3, next.length);
      return ByteBuffer.wrap(lent, 3, next.length).slice();
    }

    @Override
    public void close() {}
  }

  private static UnsafeRow row(long number, String text) {
    UnsafeRowWriter writer = new UnsafeRowWriter(FIELDS);
    writer.reset();
    writer.zeroOutNullBytes();
    writer.write(0, number);
    if (text == null) {
      writer.setNullAt(1);
    } else {
      writer.write(1, UTF8String.fromString(text));
    }
    return writer.getRow().copy();
  }

  /** What Spark's serializer writes. */
  private static byte[] stream(List<UnsafeRow> rows) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (UnsafeRow row : rows) {
      out.writeInt(row.getSizeInBytes());
      out.write(row.getBytes());
    }
    return bytes.toByteArray();
  }

  private static Iterator<Product2<Integer, UnsafeRow>> records(List<UnsafeRow> rows) {
    java.util.Iterator<UnsafeRow> left = rows.iterator();
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return left.hasNext();
      }

      @Override
      public Product2<Integer, UnsafeRow> next() {
        UnsafeRow row = left.next();
        return new Tuple2<>((int) row.getLong(0), row);
      }
    };
  }

  private List<UnsafeRow> read(List<byte[]> contents) {
    RecordIterator found =
        new RecordIterator(
            new ReusedContents(contents),
            decoder,
            task.taskMetrics().createTempShuffleReadMetrics(),
            task);
    List<UnsafeRow> rows = new ArrayList<>();
    while (found.hasNext()) {
      Tuple2<Object, Object> record = found.next();
      // A row is valid until the next one is taken, so also after this call.
      found.hasNext();
      rows.add(((UnsafeRow) record._2()).copy());
    }
    assertThatThrownBy(found::next).isInstanceOf(NoSuchElementException.class);
    return rows;
  }

  @Test
  void blocksHaveTheBytesOfTheSerializerAndAreReadBack() throws IOException {
    Random random = new Random(5);
    List<List<UnsafeRow>> partitions = new ArrayList<>();
    List<UnsafeRow> all = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new ArrayList<>());
    }
    long rowBytes = 0;
    for (int i = 0; i < 5_000; i++) {
      int partition = random.nextInt(PARTITIONS);
      // Some rows are larger than a block.
      String text = i % 7 == 0 ? null : "t".repeat(random.nextInt(i % 500 == 1 ? 9_000 : 30));
      UnsafeRow row = row(partition, text);
      partitions.get(partition).add(row);
      all.add(row);
      rowBytes += row.getSizeInBytes();
    }
    CollectedOutput output = new CollectedOutput();
    SerializedWriter<Integer, UnsafeRow> writer =
        new SerializedWriter<>(
            new HashPartitioner(PARTITIONS), serializer, task, 7, output, 2 << 20, 4096);
    writer.write(records(all));
    writer.stop(true);

    assertThat(dataSize.value()).isEqualTo(rowBytes);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<byte[]> contents = new ArrayList<>();
      ByteArrayOutputStream joined = new ByteArrayOutputStream();
      for (CollectedOutput.Block block : output.blocks.get(partition)) {
        contents.add(block.bytes());
        joined.writeBytes(block.bytes());
      }
      assertThat(joined.toByteArray()).isEqualTo(stream(partitions.get(partition)));
      assertThat(read(contents)).isEqualTo(partitions.get(partition));
    }
    assertThat(task.taskMetrics().shuffleReadMetrics().recordsRead()).isEqualTo(all.size());
  }

  @Test
  void aContentMayHaveOneRow() throws IOException {
    List<UnsafeRow> rows = List.of(row(1, "a"), row(2, "b"), row(3, null));
    List<byte[]> contents = new ArrayList<>();
    for (UnsafeRow row : rows) {
      contents.add(stream(List.of(row)));
    }

    assertThat(read(contents)).isEqualTo(rows);
  }

  @Test
  void bytesThatAreNoRowsAreRefused() throws IOException {
    byte[] whole = stream(List.of(row(1, "some text of a row"), row(2, "text")));
    int second = Integer.BYTES + ByteBuffer.wrap(whole).getInt();
    for (int length : new int[] {-8, 0, 16, 25, 1 << 20, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      byte[] damaged = whole.clone();
      ByteBuffer.wrap(damaged).putInt(second, length);
      assertThatThrownBy(() -> read(List.of(damaged)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected a row of at least 24 bytes")
          .hasMessageContaining("length=" + length);
    }
    assertThatThrownBy(() -> read(List.of(Arrays.copyOf(whole, whole.length - 1))))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> read(List.of(Arrays.copyOf(whole, second + 3))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in 3 bytes");
  }
}
