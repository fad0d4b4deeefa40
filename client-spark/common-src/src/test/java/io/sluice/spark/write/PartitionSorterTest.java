package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.write.CollectedOutput.Block;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionSorterTest {
  private static final int MIB = 1 << 20;

  private final CollectedOutput output = new CollectedOutput();

  private static TaskMemoryManager memory(long bytes, boolean offHeap) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.memory.offHeap.enabled", Boolean.toString(offHeap))
            .set("spark.memory.offHeap.size", Long.toString(bytes))
            .set("spark.buffer.pageSize", "1m");
    return new TaskMemoryManager(new UnifiedMemoryManager(conf, bytes, 0, 1), 0);
  }

  private static void insert(PartitionSorter sorter, int partition, byte[] record)
      throws IOException {
    sorter.insert(record, Platform.BYTE_ARRAY_OFFSET, record.length, partition);
  }

  @ParameterizedTest
  @CsvSource({
    // seed, partitions, records, largest record, task memory, spill at, block, off-heap
    "1, 1, 500, 100, 33554432, 16777216, 4096, false",
    "2, 7, 5000, 200, 33554432, 16777216, 1024, true",
    "3, 200, 30000, 300, 33554432, 3145728, 65536, false",
    "4, 20000, 60000, 100, 33554432, 2097152, 65536, true",
    "5, 13, 300, 400000, 5242880, 104857600, 65536, false",
    "6, 16777216, 20000, 50, 33554432, 16777216, 65536, false",
    "7, 3, 40, 3000000, 12582912, 104857600, 65536, false",
    "8, 3, 40, 3000000, 12582912, 104857600, 65536, true",
    "9, 100, 100000, 20, 4194304, 104857600, 512, false",
  })
  void givesEveryRecordOnceInTheOrderOfItsPartition(
      long seed,
      int partitions,
      int records,
      int largest,
      long memoryBytes,
      long spillBytes,
      int blockBytes,
      boolean offHeap)
      throws IOException {
    Random random = new Random(seed);
    TaskMemoryManager memory = memory(memoryBytes, offHeap);
    PartitionSorter sorter = new PartitionSorter(memory, output, spillBytes, blockBytes);
    Map<Integer, List<byte[]>> expected = new TreeMap<>();
    for (int i = 0; i < records; i++) {
      byte[] record = new byte[1 + random.nextInt(largest)];
      random.nextBytes(record);
      int partition = partitions - 1 - (int) (partitions * Math.pow(random.nextDouble(), 2));
      expected.computeIfAbsent(partition, p -> new ArrayList<>()).add(record);
      insert(sorter, partition, record);
    }
    sorter.finish();

    assertThat(output.blocks.keySet()).isEqualTo(expected.keySet());
    expected.forEach(
        (partition, list) -> {
          ByteArrayOutputStream all = new ByteArrayOutputStream();
          list.forEach(all::writeBytes);
          ByteArrayOutputStream given = new ByteArrayOutputStream();
          int count = 0;
          for (Block block : output.blocks.get(partition)) {
            given.writeBytes(block.bytes());
            count += block.records();
            assertThat(block.bytes().length <= blockBytes || block.records() == 1).isTrue();
          }
          assertThat(count).isEqualTo(list.size());
          assertThat(given.toByteArray()).isEqualTo(all.toByteArray());
        });
    assertThat(sorter.peakBytes()).isPositive().isLessThanOrEqualTo(memoryBytes);
    sorter.release();
    assertThat(sorter.getUsed()).isZero();
    assertThat(memory.cleanUpAllAllocatedMemory()).isZero();
  }

  /** Faults of the sorter or of its memory, between an insert and the flush. */
  enum Fault {
    /** One record is there twice, another is not there. */
    POINTER_COPIED {
      @Override
      void damage(MemoryBlock pointers, MemoryBlock page) {
        set(pointers, 3, get(pointers, 5));
      }
    },
    PARTITION_CHANGED {
      @Override
      void damage(MemoryBlock pointers, MemoryBlock page) {
        set(pointers, 3, get(pointers, 3) ^ 1L << 40);
      }
    },
    LENGTH_CHANGED {
      @Override
      void damage(MemoryBlock pointers, MemoryBlock page) {
        Platform.putInt(page.getBaseObject(), page.getBaseOffset(), 21);
      }
    },
    LENGTH_NEGATIVE {
      @Override
      void damage(MemoryBlock pointers, MemoryBlock page) {
        Platform.putInt(page.getBaseObject(), page.getBaseOffset(), -20);
      }
    },
    LENGTH_HUGE {
      @Override
      void damage(MemoryBlock pointers, MemoryBlock page) {
        Platform.putInt(page.getBaseObject(), page.getBaseOffset(), Integer.MAX_VALUE);
      }
    };

    abstract void damage(MemoryBlock pointers, MemoryBlock page);

    static long get(MemoryBlock block, int index) {
      return Platform.getLong(block.getBaseObject(), block.getBaseOffset() + index * 8L);
    }

    static void set(MemoryBlock block, int index, long value) {
      Platform.putLong(block.getBaseObject(), block.getBaseOffset() + index * 8L, value);
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void failsIfItDoesNotWriteWhatWasInserted(Fault fault) throws IOException {
    List<MemoryBlock> allocated = new ArrayList<>();
    SparkConf conf = new SparkConf(false);
    TaskMemoryManager memory =
        new TaskMemoryManager(new UnifiedMemoryManager(conf, 16 * MIB, 0, 1), 0) {
          @Override
          public MemoryBlock allocatePage(long size, MemoryConsumer consumer) {
            MemoryBlock block = super.allocatePage(size, consumer);
            allocated.add(block);
            return block;
          }
        };
    PartitionSorter sorter = new PartitionSorter(memory, output, 8 * MIB, 1024);
    for (int i = 0; i < 100; i++) {
      insert(sorter, 2, new byte[20]);
    }
    assertThat(allocated).hasSize(2);

    fault.damage(allocated.get(1), allocated.get(0));

    assertThatThrownBy(sorter::finish)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expectedBytes=2000");
    sorter.release();
  }

  @Test
  void writesPartitionsInAscendingOrderWithinOneFlush() throws IOException {
    PartitionSorter sorter = new PartitionSorter(memory(16 * MIB, false), output, 8 * MIB, 1024);
    for (int partition : new int[] {5, 1 << 23, 0, 70_000, 5, 256, 0}) {
      insert(sorter, partition, new byte[10]);
    }
    sorter.finish();

    assertThat(sorter.flushes()).isEqualTo(1);
    assertThat(output.order).containsExactly(0, 5, 256, 70_000, 1 << 23);
    sorter.release();
  }

  @Test
  void flushesAtTheConfiguredSizeAlthoughSparkHasMoreMemory() throws IOException {
    PartitionSorter sorter = new PartitionSorter(memory(64 * MIB, false), output, 4 * MIB, 65536);
    for (int i = 0; i < 12_000; i++) {
      insert(sorter, i % 10, new byte[1000]);
    }

    assertThat(sorter.flushes()).isBetween(2, 6);
    assertThat(sorter.peakBytes()).isLessThanOrEqualTo(5L * MIB);
    sorter.release();
  }

  @Test
  void usesLittleMemoryForAFewRecords() throws IOException {
    PartitionSorter sorter = new PartitionSorter(memory(64 * MIB, false), output, 16 * MIB, 65536);
    insert(sorter, 3, new byte[] {1, 2, 3});

    assertThat(sorter.getUsed()).isLessThanOrEqualTo(32768);
    sorter.release();
  }

  @Test
  void flushesLaterIfManyPartitionsWouldMakeTinyBlocks() {
    assertThat(PartitionSorter.flushThresholdBytes(128L * MIB, 2_000)).isEqualTo(128L * MIB);
    assertThat(PartitionSorter.flushThresholdBytes(128L * MIB, 16_384)).isEqualTo(256L * MIB);
    assertThat(PartitionSorter.flushThresholdBytes(128L * MIB, 1 << 24)).isEqualTo(512L * MIB);
  }

  @Test
  void flushesEarlierIfFewPartitionsMakeLargeBlocks() {
    assertThat(PartitionSorter.flushThresholdBytes(128L * MIB, 200)).isEqualTo(25L * MIB);
    assertThat(PartitionSorter.flushThresholdBytes(128L * MIB, 1)).isEqualTo(16L * MIB);
    assertThat(PartitionSorter.flushThresholdBytes(64 << 10, 1)).isEqualTo(64 << 10);
  }

  @Test
  void freesMemoryForAnotherConsumerOfTheSameTask() throws IOException {
    TaskMemoryManager memory = memory(8 * MIB, false);
    PartitionSorter sorter = new PartitionSorter(memory, output, 100 * MIB, 65536);
    for (int i = 0; i < 6_000; i++) {
      insert(sorter, i % 10, new byte[1000]);
    }
    MemoryConsumer other = new OtherConsumer(memory);

    long granted = other.acquireMemory(6L * MIB);

    assertThat(granted).isEqualTo(6L * MIB);
    assertThat(sorter.flushes()).isEqualTo(1);
    other.freeMemory(granted);
    insert(sorter, 1, ByteBuffer.allocate(4).putInt(7).array());
    sorter.finish();
    assertThat(output.blocks.values().stream().flatMap(List::stream).mapToInt(Block::records).sum())
        .isEqualTo(6_001);
    sorter.release();
  }

  @Test
  void declinesToSpillForAnotherThread() throws Exception {
    TaskMemoryManager memory = memory(8 * MIB, false);
    PartitionSorter sorter = new PartitionSorter(memory, output, 100 * MIB, 65536);
    insert(sorter, 0, new byte[100]);
    long[] freed = {-1};

    Thread thread =
        new Thread(
            () -> {
              try {
                freed[0] = sorter.spill(1000, new OtherConsumer(memory));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    thread.join(30_000);

    assertThat(freed[0]).isZero();
    assertThat(output.blocks).isEmpty();
    sorter.release();
  }

  private static final class OtherConsumer extends MemoryConsumer {
    OtherConsumer(TaskMemoryManager memory) {
      super(memory, MIB, MemoryMode.ON_HEAP);
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return 0;
    }
  }
}
