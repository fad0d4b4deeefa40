package org.apache.hadoop.mapred;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.HeapSort;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.QuickSort;
import org.junit.jupiter.api.Test;

/** Compares seeded random records with a sorted list. */
class SortBufferTest {
  private static final int PARTITIONS = 5;

  private final Random random = new Random(7);

  private record Added(int partition, String key, int value) {}

  @Test
  void sortsByPartitionAndKey() throws IOException {
    check(new Text.Comparator(), new QuickSort(), Comparator.comparing(Added::key));
  }

  @Test
  void sortsByAComparatorOfTheJob() throws IOException {
    check(
        new SluiceMapOutputTest.Descending(),
        new HeapSort(),
        Comparator.comparing(Added::key).reversed());
  }

  @Test
  void staysWithinItsMemoryLimit() throws IOException {
    long limit = 256 << 10;
    SortBuffer<Text> buffer = buffer(limit, new Text.Comparator(), new QuickSort());
    for (int round = 0; round < 3; round++) {
      List<Added> added = fill(buffer, Integer.MAX_VALUE);
      assertThat(buffer.bytes()).isBetween(limit / 4, limit);
      // Index entry of a record, its header, its shortest key and its value.
      assertThat(added).hasSizeLessThan((int) (limit / (20 + 8 + 1 + 4)));
      buffer.sort(() -> {});
      assertThat(contents(buffer)).hasSameSizeAs(added);
      buffer.clear();
    }
  }

  private void check(WritableComparator comparator, IndexedSorter sorter, Comparator<Added> order)
      throws IOException {
    SortBuffer<Text> buffer = buffer(4 << 20, comparator, sorter);
    for (int round = 0; round < 5; round++) {
      List<Added> added = fill(buffer, 5_000);
      buffer.sort(() -> {});
      List<Added> found = contents(buffer);
      assertThat(found)
          .isSortedAccordingTo(Comparator.comparing(Added::partition).thenComparing(order));
      assertThat(found).containsExactlyInAnyOrderElementsOf(added);
      buffer.clear();
    }
  }

  @SuppressWarnings("unchecked") // Hadoop's comparators do not declare their key type.
  private static SortBuffer<Text> buffer(
      long limitBytes, WritableComparator comparator, IndexedSorter sorter) {
    RawComparator<?> raw = comparator;
    return new SortBuffer<>(PARTITIONS, limitBytes, (RawComparator<Text>) raw, sorter);
  }

  /** Adds {@code count} records, or fewer if the buffer is full. */
  private List<Added> fill(SortBuffer<Text> buffer, int records) throws IOException {
    List<Added> added = new ArrayList<>();
    DataOutputBuffer record = new DataOutputBuffer();
    while (added.size() < records) {
      Added next = new Added(random.nextInt(PARTITIONS), key(), random.nextInt());
      record.reset();
      new Text(next.key()).write(record);
      int keyLength = record.getLength();
      record.writeInt(next.value());
      if (!buffer.add(next.partition(), record.getData(), keyLength, record.getLength())) {
        break;
      }
      added.add(next);
    }
    return added;
  }

  /** Few distinct letters, so that many keys have equal prefixes and some are equal. */
  private String key() {
    byte[] letters = new byte[random.nextInt(14)];
    for (int i = 0; i < letters.length; i++) {
      letters[i] = (byte) ('a' + random.nextInt(2));
    }
    return new String(letters, StandardCharsets.US_ASCII);
  }

  private static List<Added> contents(SortBuffer<Text> buffer) throws IOException {
    List<Added> found = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      RawKeyValueIterator records = buffer.records(partition);
      Text key = new Text();
      while (records.next()) {
        key.readFields(records.getKey());
        DataInputBuffer value = records.getValue();
        found.add(new Added(partition, key.toString(), value.readInt()));
      }
    }
    return found;
  }
}
