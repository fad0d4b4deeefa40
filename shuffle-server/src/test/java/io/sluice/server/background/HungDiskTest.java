package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.HealthCause;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A disk that hangs in a write, as a failing disk does in the kernel, without reaction to
 * interrupts.
 */
class HungDiskTest {
  private static final int SLAB = 4096;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final ShuffleKey KEY = new ShuffleKey("app", 1);

  private final AtomicLong diskNanos = new AtomicLong();
  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(64 * SLAB, SLAB, 75, 25), System::nanoTime);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final InMemoryStorage first = new InMemoryStorage("first", StorageKind.SSD);
  private final InMemoryStorage second = new InMemoryStorage("second", StorageKind.HDD);
  private final InMemoryCatalog firstCatalog = new InMemoryCatalog();
  private final Disk hung = new Disk(first, firstCatalog, DiskLimits.DEFAULT, diskNanos::get);
  private final Disk well =
      new Disk(second, new InMemoryCatalog(), DiskLimits.DEFAULT, diskNanos::get);
  private final RunFiles runs = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final Spiller spiller =
      new Spiller(
          store,
          memory,
          new Disks(List.of(hung, well)),
          new SpillPolicy(new SpillConfig(16 * SLAB, 1 << 20)),
          new SpillWriter(1, runs, new Random(3), counters),
          System::nanoTime);
  private int appended;

  @BeforeEach
  void start() {
    runs.start();
    spiller.start();
  }

  @AfterEach
  void everythingIsReleased() {
    spiller.close();
    store.applications().forEach(store::removeApplication);
    store.close();
    runs.close();
    await(() -> memory.usedBytes() == 0);
    assertThat(first.list()).isEmpty();
    assertThat(second.list()).isEmpty();
  }

  @Test
  void blocksOfAHungWriteGoToAnotherDiskOnce() throws Exception {
    Runnable over = first.hang();
    try {
      append(60);
      await(() -> hung.queueDepth() == 1);
      checkEveryBlock();
      diskNanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
      await(() -> hung.health().state() == HealthState.SUSPECT);
      assertThat(hung.health().cause()).isEqualTo(HealthCause.HUNG);
      assertThat(spiller.flushAll(60_000)).as("without the hung disk").isTrue();
      assertThat(second.list()).isNotEmpty();
      assertThat(spiller.canStore()).isTrue();
      assertThat(memory.usedBytes()).as("bytes that the hung call may still read").isPositive();
      checkEveryBlock();
      append(20);
      checkEveryBlock();
      assertThat(hung.queueDepth()).isEqualTo(1);
    } finally {
      over.run();
    }
    await(() -> hung.queueDepth() == 0);
    assertThat(spiller.flushAll(60_000)).isTrue();
    await(() -> memory.usedBytes() == 0);
    assertThat(first.unfinishedCount()).isZero();
    assertThat(first.list()).as("its file was not committed").isEmpty();
    assertThat(firstCatalog.runs()).isEmpty();
    assertThat(store.totals().spillingBytes()).isZero();
    assertThat(counters.spilledBytes()).isEqualTo((long) appended * SLAB);
    checkEveryBlock();
  }

  @Test
  void aRunCommittedAfterItsCancellationIsDeleted() throws Exception {
    append(10);
    SpillTask task =
        new SpillTask(store.find(KEY).takeForSpill(1 << 20), well.beginWrite(10 * SLAB));
    SpillWriter writer = new SpillWriter(1, runs, new Random(4), counters);
    // Cancelled between commit and completion, when the catalog is called.
    InMemoryCatalog catalog =
        new InMemoryCatalog() {
          @Override
          public synchronized void add(RunRecord run) throws IOException {
            super.add(run);
            task.abort();
          }
        };
    Disk late = new Disk(second, catalog, DiskLimits.DEFAULT, diskNanos::get);
    assertThat(writer.write(task, late)).isFalse();
    assertThat(store.totals().bufferedBytes()).isEqualTo(10L * SLAB);
    checkEveryBlock();
    await(() -> second.list().isEmpty());
    assertThat(catalog.runs()).isEmpty();
    assertThat(spiller.flushAll(60_000)).isTrue();
    checkEveryBlock();
  }

  @Test
  void aServerStopsWhileADiskHangs() throws Exception {
    Runnable over = first.hang();
    try {
      append(60);
      await(() -> hung.queueDepth() == 1);
      diskNanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
      await(() -> hung.health().state() == HealthState.SUSPECT);
      spiller.close();
      store.applications().forEach(store::removeApplication);
      assertThat(store.totals().spillingBytes()).isZero();
      assertThat(store.totals().bufferedBytes()).isZero();
      runs.close();
      assertThat(hung.queueDepth()).as("still pending").isEqualTo(1);
    } finally {
      over.run();
    }
    await(() -> hung.queueDepth() == 0);
  }

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
        0,
        0,
        true,
        BlockBytes.payload(new Random(number), SLAB - BlockHeader.LENGTH));
  }

  private void checkEveryBlock() throws Exception {
    for (int number = 0; number < appended; number++) {
      LogRange range = new LogRange(0, (long) number * SLAB, SLAB);
      assertThat(PieceBytes.read(store.find(KEY).read(List.of(range))))
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
