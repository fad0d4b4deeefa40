package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Test;

class TaskDirectMemoryTest {
  private static final long MIB = 1 << 20;

  private final TaskMemoryManager memory =
      new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), 8 * MIB, 0, 1), 0);
  private final TaskDirectMemory direct = new TaskDirectMemory(memory);
  private final TaskMetrics metrics = new TaskMetrics();

  @Test
  void accountsMemoryInUseAsTaskMemory() {
    assertThat(direct.account(3 * MIB)).isEqualTo(3 * MIB);
    assertThat(direct.account(3 * MIB + 1)).isGreaterThanOrEqualTo(3 * MIB + 1);
    assertThat(memory.getMemoryConsumptionForThisTask()).isBetween(3 * MIB + 1, 4 * MIB);

    direct.release(metrics);
    direct.release(metrics);

    assertThat(memory.getMemoryConsumptionForThisTask()).isZero();
    assertThat(metrics.peakExecutionMemory()).isEqualTo(3 * MIB + 1);
  }

  @Test
  void returnsTheGrantedBytesWhenMemoryIsShort() {
    Other other = new Other(memory);
    assertThat(other.acquireMemory(6 * MIB)).isEqualTo(6 * MIB);

    assertThat(direct.account(5 * MIB)).isEqualTo(2 * MIB);

    other.freeMemory(6 * MIB);
    direct.release(metrics);
  }

  @Test
  void releasesUnusedMemoryToOtherConsumers() {
    direct.account(6 * MIB);
    direct.account(MIB);
    Other other = new Other(memory);

    assertThat(other.acquireMemory(7 * MIB)).isEqualTo(7 * MIB);
    assertThat(direct.getUsed()).isEqualTo(MIB);

    other.freeMemory(7 * MIB);
    direct.release(metrics);
  }

  private static final class Other extends MemoryConsumer {
    Other(TaskMemoryManager memory) {
      super(memory, MIB, MemoryMode.ON_HEAP);
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return 0;
    }
  }
}
