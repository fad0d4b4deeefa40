package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HugeSpillsTest {
  private static final int SLAB = 4096;
  private static final int LIMIT_SLABS = 16;
  private static final int RUN_SLABS = 4;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(64 * SLAB, SLAB, 75, 25), System::nanoTime);
  private final ShuffleStore store =
      new ShuffleStore(
          new StoreConfig(
              10, 10, 1 << 20, 100, 1 << 30, new LogConfig(1 << 20, 6 * SLAB, 1000, 100)));
  private final InMemoryStorage storage = new InMemoryStorage("disk", StorageKind.SSD);
  private final RunFiles runs = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final Spiller spiller =
      new Spiller(
          store,
          memory,
          new Disks(
              List.of(
                  new Disk(
                      storage,
                      new InMemoryCatalog(),
                      new DiskLimits(95, 85, 3, 1, 1),
                      System::nanoTime))),
          new SpillPolicy(new SpillConfig(32 * SLAB, 1 << 20, 0.25)),
          new SpillWriter(1, runs, new Random(3), counters),
          System::nanoTime);
  private long appended;

  @BeforeEach
  void start() {
    spiller.start();
  }

  @AfterEach
  void everythingIsReleased() {
    spiller.close();
    store.close();
    runs.close();
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void hugePartitionIsSpilledBelowTheHighWatermarkAndOthersStay() throws Exception {
    append("small", 6);
    append("huge", 7);
    await(() -> memory.usedBytes("huge") < RUN_SLABS * SLAB);
    assertThat(counters.spilledRuns()).isPositive();
    assertThat(memory.usedBytes("small")).isEqualTo(6 * SLAB);
    assertThat(store.find(new ShuffleKey("small", 1)).runs()).isEmpty();
    append("huge", RUN_SLABS);
    await(() -> memory.usedBytes("huge") < RUN_SLABS * SLAB);
  }

  @Test
  void memoryOfAHugePartitionIsBoundedWhileTheDiskFails() throws Exception {
    append("huge", 6);
    storage.failAlways(true);
    append("huge", 1);
    await(() -> memory.exceedsLimit("huge", LIMIT_SLABS * SLAB));
    AtomicInteger called = new AtomicInteger();
    append("huge", LIMIT_SLABS - 7);
    assertThat(memory.tryAllocate("huge", SLAB)).isNull();
    ByteBuf other = memory.tryAllocate("other", (64 - LIMIT_SLABS) * SLAB);
    assertThat(other).as("the rest is available to others").isNotNull();
    other.release();
    Runnable cancel = memory.whenAvailable("huge", SLAB, called::incrementAndGet);
    storage.failAlways(false);
    await(() -> called.get() > 0);
    await(() -> memory.usedBytes("huge") < RUN_SLABS * SLAB);
    cancel.run();
  }

  @Test
  void otherShufflesOfTheApplicationAreSpilledIfItsHugeOneHasNothingInMemory() throws Exception {
    append("huge", 7);
    await(() -> memory.usedBytes("huge") < RUN_SLABS * SLAB);
    ShuffleKey second = new ShuffleKey("huge", 2);
    for (int i = 0; memory.usedBytes("huge") < LIMIT_SLABS * SLAB; i++) {
      append(second, i % 50);
    }
    assertThat(memory.tryAllocate("huge", SLAB)).isNull();
    AtomicInteger called = new AtomicInteger();
    Runnable cancel = memory.whenAvailable("huge", SLAB, called::incrementAndGet);
    await(() -> called.get() > 0);
    cancel.run();
    assertThat(store.find(second).runs()).isNotEmpty();
  }

  @Test
  void othersAreSpilledWhileAHugePartitionAlwaysHasBytesForARun() throws Exception {
    append("huge", 7);
    await(() -> memory.usedBytes("huge") < RUN_SLABS * SLAB);
    ShuffleKey other = new ShuffleKey("other", 1);
    for (int partition = 0; partition < 44; partition++) {
      append(other, partition);
    }
    AtomicBoolean pushes = new AtomicBoolean(true);
    storage.beforeCall(
        () -> {
          while (pushes.get() && memory.usedBytes("huge") < 3 * RUN_SLABS * SLAB) {
            appendOne("huge");
          }
        });
    append("huge", RUN_SLABS);
    await(() -> !store.find(other).runs().isEmpty());
    pushes.set(false);
  }

  @Test
  void limitEndsWithTheShuffle() throws Exception {
    append("huge", 7);
    await(() -> memory.exceedsLimit("huge", LIMIT_SLABS * SLAB) || memory.usedBytes("huge") == 0);
    store.removeApplication("huge");
    ByteBuf one = memory.tryAllocate("huge", SLAB);
    await(() -> !memory.exceedsLimit("huge", LIMIT_SLABS * SLAB));
    ByteBuf large = memory.tryAllocate("huge", 32 * SLAB);
    assertThat(large).isNotNull();
    one.release();
    large.release();
  }

  /** Appends frames of one slab each to one partition. */
  private void append(String application, int frames) throws SluiceException {
    for (int i = 0; i < frames; i++) {
      append(new ShuffleKey(application, 1), 0);
    }
  }

  private void appendOne(String application) {
    try {
      append(application, 1);
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized void append(ShuffleKey key, int partition) throws SluiceException {
    ByteBuf body = memory.tryAllocate(key.application(), SLAB);
    body.writeBytes(
        BlockBytes.block(appended++, 0, partition, 0, true, new byte[SLAB - BlockHeader.LENGTH]));
    BlockBatch batch = new BlockBatch(1);
    batch.add(BlockHeader.read(body, 0, SLAB));
    store.findOrCreate(key).append(body, SLAB, batch);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
