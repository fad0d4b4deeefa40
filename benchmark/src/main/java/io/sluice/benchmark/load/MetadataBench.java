package io.sluice.benchmark.load;

import io.sluice.common.error.SluiceException;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Measures the heap bytes of each kind of metadata in the log: the difference of the live heap
 * before and after adding many objects.
 */
final class MetadataBench {
  private static final long MIB = 1 << 20;
  private static final long MEMORY_BYTES = 512 * MIB;

  /** Large enough that no partition of the benchmark gets a second slice mark. */
  private static final int NO_MARKS = 1 << 30;

  private static final int MAX_PAIRS = 10_000_000;

  /** Heap bytes of a number of objects. */
  record Cost(String kind, long count, long bytes) {
    double each() {
      return (double) bytes / count;
    }
  }

  /** Heap bytes of many small shuffles. */
  record Scenario(int shuffles, int partitions, int attempts, long bytes) {}

  private final HeapMeter heap = new HeapMeter();
  private final int shuffles;
  private final int partitions;
  private final int attempts;
  // Measured on first use.
  private long fileExtentBytes = -1;

  MetadataBench(int shuffles, int partitions, int attempts) {
    this.shuffles = shuffles;
    this.partitions = partitions;
    this.attempts = attempts;
  }

  /** Measures all kinds of metadata. */
  List<Cost> costs() throws IOException, InterruptedException {
    List<Cost> costs = new ArrayList<>();
    costs.addAll(alone(() -> List.of(shuffle())));
    costs.addAll(alone(this::partitionsAndExtents));
    costs.addAll(alone(() -> List.of(attempt())));
    costs.addAll(alone(this::pairs));
    costs.addAll(alone(() -> List.of(mark())));
    costs.addAll(alone(() -> List.of(blocks())));
    return costs;
  }

  /** Measures many small shuffles. */
  Scenario scenario() throws IOException, InterruptedException {
    return alone(this::manyShuffles);
  }

  /**
   * Runs a measurement on a new thread, because references left on a stack would keep objects alive
   * in later measurements.
   */
  private static <T> T alone(Callable<T> measurement) throws IOException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(measurement);
    Thread thread = new Thread(task, "bench-metadata");
    thread.setDaemon(true);
    thread.start();
    try {
      T result = task.get();
      thread.join();
      return result;
    } catch (ExecutionException e) {
      throw new IOException("measurement failed: " + e.getCause(), e.getCause());
    }
  }

  /** Many small shuffles with a block of every attempt in every partition, all spilled. */
  private Scenario manyShuffles() throws SluiceException {
    int partitionsEach = Math.max(1, partitions / shuffles);
    int attemptsEach = Math.max(1, attempts / shuffles);
    long before = heap.usedBytes();
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      for (int shuffle = 0; shuffle < shuffles; shuffle++) {
        ShuffleKey key = StoreFiller.key(shuffle);
        for (int attempt = 0; attempt < attemptsEach; attempt++) {
          filler.push(key, attempt, 0, partitionsEach, 0, true);
        }
        filler.spill(key);
      }
      long bytes = heap.usedBytes() - before;
      return new Scenario(shuffles, shuffles * partitionsEach, shuffles * attemptsEach, bytes);
    }
  }

  private Cost shuffle() throws SluiceException {
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      // One partition and attempt per shuffle; their own bytes are negligible.
      long before = heap.usedBytes();
      for (int shuffle = 0; shuffle < shuffles; shuffle++) {
        filler.push(StoreFiller.key(shuffle), 0, 0, 1, 0, true);
        filler.spill(StoreFiller.key(shuffle));
      }
      return new Cost(
          "shuffle, with one partition, one attempt and one run",
          shuffles,
          heap.usedBytes() - before);
    }
  }

  private List<Cost> partitionsAndExtents() throws SluiceException {
    List<Cost> costs = new ArrayList<>();
    ShuffleKey key = StoreFiller.key(0);
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      filler.push(key, 0, 0, 1, 0, true);
      filler.spill(key);
      long start = heap.usedBytes();
      filler.push(key, 1, 0, partitions, 0, true);
      filler.spill(key);
      long spilledOnce = heap.usedBytes();
      costs.add(new Cost("partition, with one extent in a file", partitions, spilledOnce - start));
      int rounds = 8;
      long buffered = 0;
      for (int round = 0; round < rounds; round++) {
        long before = heap.usedBytes();
        filler.push(key, 2 + round, 0, partitions, 0, true);
        buffered += heap.usedBytes() - before;
        filler.spill(key);
      }
      long more = heap.usedBytes() - spilledOnce;
      costs.add(new Cost("extent in memory", (long) rounds * partitions, buffered));
      costs.add(new Cost("additional extent in a file", (long) rounds * partitions, more));
      return costs;
    }
  }

  private Cost attempt() throws SluiceException {
    ShuffleKey key = StoreFiller.key(0);
    int count = attempts * 10;
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      filler.pushAttempts(key, 0, 1, 0);
      filler.spill(key);
      long before = heap.usedBytes();
      filler.pushAttempts(key, 1, count, 0);
      filler.spill(key);
      return new Cost("attempt", count, heap.usedBytes() - before);
    }
  }

  /**
   * Completeness records: all attempts complete in order, every second attempt complete, none
   * complete.
   */
  private List<Cost> pairs() throws SluiceException {
    int few = Math.max(1, Math.min(partitions, MAX_PAIRS / attempts));
    return List.of(
        pairs("complete attempt in a partition, all attempts", few, 1, true),
        pairs("complete attempt in a partition, every second attempt", few, 2, true),
        pairs("incomplete attempt in a partition", few, 1, false));
  }

  private Cost pairs(String kind, int few, int step, boolean complete) throws SluiceException {
    ShuffleKey key = StoreFiller.key(0);
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      // Registers every attempt, and one extent of every partition.
      filler.pushAttempts(key, 0, attempts, few);
      filler.push(key, attempts, 0, few, 0, true);
      filler.spill(key);
      long before = heap.usedBytes();
      int rounds = 0;
      for (int attempt = 0; attempt < attempts; attempt += step) {
        filler.push(key, attempt, 0, few, 0, complete);
        if (++rounds % 100 == 0) {
          filler.spill(key);
        }
      }
      filler.spill(key);
      long spilled = (rounds + 99L) / 100;
      long bytes = heap.usedBytes() - before - spilled * few * bytesPerFileExtent();
      return new Cost(kind, (long) few * rounds, Math.max(0, bytes));
    }
  }

  /** Heap bytes of an extent in a file, measured with blocks that add no other metadata. */
  private long bytesPerFileExtent() throws SluiceException {
    if (fileExtentBytes < 0) {
      ShuffleKey key = StoreFiller.key(0);
      int few = 10_000;
      int rounds = 100;
      try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
        filler.push(key, 0, 0, few, 0, false);
        filler.spill(key);
        long before = heap.usedBytes();
        for (int round = 1; round <= rounds; round++) {
          filler.push(key, 0, 0, few, round, false);
          filler.spill(key);
        }
        fileExtentBytes = (heap.usedBytes() - before) / few / rounds;
      }
    }
    return fileExtentBytes;
  }

  private Cost mark() throws SluiceException {
    ShuffleKey key = StoreFiller.key(0);
    int count = 1000;
    int few = Math.min(partitions, 1000);
    long without = marked(key, few, count, NO_MARKS);
    long with = marked(key, few, count, 1);
    return new Cost("slice mark, map tasks in random order", (long) few * count, with - without);
  }

  private long marked(ShuffleKey key, int few, int count, int markBytes) throws SluiceException {
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, markBytes)) {
      long before = heap.usedBytes();
      for (int push = 0; push < count; push++) {
        filler.push(key, push * 7919L % count, 0, few, 0, true);
      }
      filler.spill(key);
      return heap.usedBytes() - before;
    }
  }

  /** Heap bytes of a spilled block: compares runs with ten times as many blocks. */
  private Cost blocks() throws SluiceException {
    int few = Math.min(partitions, 10_000);
    long once = blocks(few, 10);
    long tenTimes = blocks(few, 100);
    return new Cost("block in a file", few * 90L, tenTimes - once);
  }

  private long blocks(int few, int count) throws SluiceException {
    ShuffleKey key = StoreFiller.key(0);
    try (StoreFiller filler = new StoreFiller(MEMORY_BYTES, NO_MARKS)) {
      long before = heap.usedBytes();
      for (int sequence = 0; sequence < count; sequence++) {
        filler.push(key, 0, 0, few, sequence, false);
      }
      filler.spill(key);
      return heap.usedBytes() - before;
    }
  }
}
