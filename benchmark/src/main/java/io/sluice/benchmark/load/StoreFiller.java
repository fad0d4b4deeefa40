package io.sluice.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;

/**
 * Fills a store with blocks of at most one byte, because the metadata of a block does not depend on
 * its length. Frame bodies use server memory and are not initialized. Not thread-safe.
 */
final class StoreFiller implements AutoCloseable {
  private static final int BLOCKS_PER_FRAME = 1024;
  private static final long EPOCH = 1;

  /** Limits that the benchmark never reaches. */
  private static final StoreConfig UNBOUNDED =
      new StoreConfig(
          Integer.MAX_VALUE,
          1 << 20,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          new LogConfig(1 << 20, Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE));

  private final MemoryBudget memory;
  private final ShuffleStore store;

  /**
   * @param memoryBytes memory budget for buffered frames
   * @param markBytes bytes between slice marks
   */
  StoreFiller(long memoryBytes, int markBytes) {
    LogConfig log = UNBOUNDED.log();
    memory = new MemoryBudget(MemoryConfig.ofCapacity(memoryBytes), System::nanoTime);
    store =
        new ShuffleStore(
            new StoreConfig(
                UNBOUNDED.maxShuffles(),
                UNBOUNDED.maxTombstones(),
                UNBOUNDED.maxBufferedExtents(),
                UNBOUNDED.maxPartitions(),
                UNBOUNDED.maxMetadataBytes(),
                new LogConfig(
                    markBytes, log.hugePartitionBytes(), log.maxAttempts(), log.maxPartitions())));
  }

  ShuffleStore store() {
    return store;
  }

  static ShuffleKey key(int shuffle) {
    return new ShuffleKey("application-1795000000000-" + shuffle, 0);
  }

  /** Pushes one block of an attempt to each of the partitions {@code first..last - 1}. */
  void push(ShuffleKey key, long attempt, int first, int last, int sequence, boolean isLast)
      throws SluiceException {
    for (int from = first; from < last; from += BLOCKS_PER_FRAME) {
      int to = Math.min(last, from + BLOCKS_PER_FRAME);
      BlockBatch batch = new BlockBatch(to - from);
      for (int partition = from; partition < to; partition++) {
        batch.add(header(attempt, partition, sequence, isLast));
      }
      append(key, batch);
    }
  }

  /** Pushes one block of each of the attempts {@code first..last - 1} to one partition. */
  void pushAttempts(ShuffleKey key, long first, long last, int partition) throws SluiceException {
    for (long from = first; from < last; from += BLOCKS_PER_FRAME) {
      long to = Math.min(last, from + BLOCKS_PER_FRAME);
      BlockBatch batch = new BlockBatch((int) (to - from));
      for (long attempt = from; attempt < to; attempt++) {
        batch.add(header(attempt, partition, 0, true));
      }
      append(key, batch);
    }
  }

  /** Moves all extents of a shuffle from memory to one run. */
  void spill(ShuffleKey key) {
    ShuffleLog log = store.find(key);
    SpillBatch batch = log.takeForSpill(Long.MAX_VALUE);
    if (batch != null) {
      log.completeSpill(
          batch,
          new FilelessRun(),
          new RunOrder(EPOCH, batch.firstArrival()),
          new long[batch.parts().size()]);
    }
  }

  @Override
  public void close() {
    store.close();
    memory.close();
  }

  private void append(ShuffleKey key, BlockBatch batch) throws SluiceException {
    ByteBuf body = memory.tryAllocate(key.application(), batch.length());
    if (body == null) {
      throw new IllegalStateException(
          "the benchmark needs more memory than " + memory.capacityBytes() + " bytes");
    }
    body.writerIndex(batch.length());
    store.findOrCreate(key).append(body, memory.reservedBytes(batch.length()), batch);
  }

  private static BlockHeader header(long attempt, int partition, int sequence, boolean isLast) {
    return new BlockHeader(
        attempt,
        (int) (attempt & Integer.MAX_VALUE),
        partition,
        sequence,
        0,
        isLast ? 0 : 1,
        isLast ? 0 : 1,
        BlockCodec.NONE,
        isLast ? BlockHeader.FLAG_LAST : 0);
  }
}
