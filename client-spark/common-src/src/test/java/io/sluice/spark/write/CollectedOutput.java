package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.MapLocation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.storage.BlockManagerId;

/** Collects the added blocks by partition. */
public final class CollectedOutput implements MapOutput {
  @SuppressWarnings("ArrayRecordComponent")
  public record Block(byte[] bytes, int records) {}

  public final Map<Integer, List<Block>> blocks = new HashMap<>();
  public final List<Integer> order = new ArrayList<>();
  public boolean finished;
  private int lastFinalPartition = Integer.MIN_VALUE;
  public boolean closed;

  @Override
  public void add(int partition, byte[] bytes, int length, int records) {
    assertThat(length).isPositive();
    assertThat(records).isPositive();
    if (lastFinalPartition != Integer.MIN_VALUE) {
      assertThat(partition).isGreaterThanOrEqualTo(lastFinalPartition);
      lastFinalPartition = partition;
    }
    blocks
        .computeIfAbsent(partition, p -> new ArrayList<>())
        .add(new Block(Arrays.copyOf(bytes, length), records));
    order.add(partition);
  }

  @Override
  public void beginFinalPass() {
    lastFinalPartition = -1;
  }

  @Override
  public void finish() {
    finished = true;
  }

  @Override
  public long[] partitionLengths() {
    int partitions = blocks.keySet().stream().mapToInt(p -> p + 1).max().orElse(0);
    long[] lengths = new long[partitions];
    blocks.forEach((p, list) -> list.forEach(block -> lengths[p] += block.bytes.length));
    return lengths;
  }

  @Override
  public BlockManagerId location() {
    return MapLocation.of(0);
  }

  @Override
  public void close() {
    closed = true;
  }
}
