package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpillerTest {
  private static final int SLAB = 4096;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final ShuffleKey KEY = new ShuffleKey("app", 1);

  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(64 * SLAB, SLAB, 75, 25), System::nanoTime);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final InMemoryStorage first = new InMemoryStorage("first", StorageKind.SSD);
  private final InMemoryStorage second = new InMemoryStorage("second", StorageKind.HDD);
  private final RunFiles runs = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final Disks disks =
      new Disks(
          List.of(
              new Disk(
                  first, new InMemoryCatalog(), new DiskLimits(95, 85, 3, 1, 1), System::nanoTime),
              new Disk(
                  second,
                  new InMemoryCatalog(),
                  new DiskLimits(95, 85, 3, 1, 1),
                  System::nanoTime)));
  private final Spiller spiller =
      new Spiller(
          store,
          memory,
          disks,
          new SpillPolicy(new SpillConfig(16 * SLAB, 1 << 20)),
          new SpillWriter(1, runs, new Random(3), counters),
          System::nanoTime);
  private int appended;

  @BeforeEach
  void start() {
    spiller.start();
  }

  @AfterEach
  void everythingIsReleased() {
    spiller.close();
    spiller.close();
    store.applications().forEach(store::removeApplication);
    store.close();
    runs.close();
    assertThat(memory.usedBytes()).isZero();
    assertThat(first.list()).isEmpty();
    assertThat(second.list()).isEmpty();
  }

  @Test
  void spillsToAboutTheLowWatermarkOnceAboveTheHighWatermark() throws Exception {
    append(48);
    assertThat(store.totals().spillingBytes()).isZero();
    append(2);
    await(() -> memory.usedBytes() <= 20 * SLAB);
    assertThat(counters.spilledRuns()).isPositive();
    assertThat(first.list()).as("an SSD is preferred").isNotEmpty();
    checkEveryBlock();
  }

  @Test
  void aRunRefusedByOneDiskIsWrittenToAnother() throws Exception {
    first.failAlways(true);
    append(50);
    await(() -> memory.usedBytes() <= 20 * SLAB);
    assertThat(first.list()).isEmpty();
    assertThat(second.list()).isNotEmpty();
    checkEveryBlock();
  }

  @Test
  void continuesSpillingOnceMemoryIsAvailableAgain() throws Exception {
    AtomicInteger refusals = new AtomicInteger(6);
    Runnable fewRefusals =
        () -> {
          if (refusals.getAndDecrement() > 0) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
          }
        };
    first.beforeCall(fewRefusals);
    second.beforeCall(fewRefusals);
    append(60);
    assertThat(spiller.flushAll(60_000)).isTrue();
    assertThat(refusals.get()).isNegative();
    assertThat(disks.list()).allMatch(disk -> disk.health().state() == HealthState.HEALTHY);
    checkEveryBlock();
  }

  @Test
  void keepsEverythingInMemoryUntilADiskWorks() throws Exception {
    first.failAlways(true);
    second.failAlways(true);
    append(60);
    await(() -> !spiller.canStore());
    // A retried spill moves bytes between the two counters between the two calls.
    await(() -> store.totals().bufferedBytes() + store.totals().spillingBytes() == 60L * SLAB);
    AtomicInteger called = new AtomicInteger();
    memory.whenAvailable("app", 8 * SLAB, called::incrementAndGet);
    await(() -> called.get() > 0);
    checkEveryBlock();
    first.failAlways(false);
    await(() -> memory.usedBytes() <= 20 * SLAB);
    await(spiller::canStore);
    assertThat(counters.failedSpills()).isPositive();
    checkEveryBlock();
  }

  @Test
  void doesNotCallDisksFullWhileARunIsWritten() throws Exception {
    // Space for one run and its reservation, but not for another one.
    first.capacityBytes(32L * SLAB);
    second.capacityBytes(SLAB);
    disks.list().forEach(Disk::refresh);
    Runnable over = first.hang();

    append(60);
    await(() -> spiller.isWriting(disks.list().get(0)));
    assertThat(spiller.flushAll(300)).isFalse();

    assertThat(spiller.canStore()).isTrue();
    over.run();
    await(() -> !spiller.canStore());
    checkEveryBlock();
  }

  @Test
  void freesMemoryForABodyThatExceedsTheFreeMemory() throws Exception {
    append(40);
    AtomicInteger called = new AtomicInteger();
    assertThat(memory.tryAllocate("other", 60 * SLAB)).isNull();
    memory.whenAvailable("other", 60 * SLAB, called::incrementAndGet);
    await(() -> called.get() == 1);
    ByteBuf body = memory.tryAllocate("other", 60 * SLAB);
    assertThat(body).isNotNull();
    body.release();
    checkEveryBlock();
  }

  @Test
  void flushesEverythingOrReportsATimeout() throws Exception {
    append(10);
    first.failAlways(true);
    second.failAlways(true);
    assertThat(spiller.flushAll(20)).isFalse();
    second.failAlways(false);
    assertThat(spiller.flushAll(60_000)).isTrue();
    assertThat(memory.usedBytes()).isZero();
    checkEveryBlock();
  }

  @Test
  void flushesDownToTheGivenBytes() throws Exception {
    append(10);
    assertThat(spiller.flush(10 * SLAB, 60_000)).isTrue();
    assertThat(memory.usedBytes()).isEqualTo(10 * SLAB);

    assertThat(spiller.flush(2 * SLAB, 60_000)).isTrue();

    await(() -> memory.usedBytes() <= 2 * SLAB);
    checkEveryBlock();
  }

  /**
   * Appends frames of one slab each: attempt n has one block of nearly a slab in partition n % 3.
   */
  private void append(int frames) throws Exception {
    for (int i = 0; i < frames; i++) {
      byte[] block = block(appended);
      ByteBuf body = memory.tryAllocate("app", SLAB);
      body.writeBytes(block);
      BlockBatch batch = new BlockBatch(1);
      batch.add(BlockHeader.read(body, 0, SLAB));
      store.findOrCreate(KEY).append(body, SLAB, batch);
      appended++;
    }
    memory.signalIfTight();
  }

  private static byte[] block(int number) {
    return BlockBytes.block(
        number,
        number,
        number % 3,
        0,
        true,
        BlockBytes.payload(new Random(number), SLAB - BlockHeader.LENGTH));
  }

  private void checkEveryBlock() throws Exception {
    ShuffleLog log = store.find(KEY);
    for (int number = 0; number < appended; number++) {
      LogRange range = new LogRange(number % 3, (long) (number / 3) * SLAB, SLAB);
      assertThat(PieceBytes.read(log.read(List.of(range))))
          .isEqualTo(Unpooled.wrappedBuffer(block(number)));
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
