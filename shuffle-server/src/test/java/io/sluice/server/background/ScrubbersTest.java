package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScrubbersTest {
  private static final ShuffleKey KEY = new ShuffleKey("app", 1);

  private final Random random = new Random(20261121);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles runs = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final ScrubCounters scrubbed = new ScrubCounters();
  private final InMemoryStorage storage = new InMemoryStorage("disk", StorageKind.SSD);
  private final Disk disk =
      new Disk(storage, new InMemoryCatalog(), new DiskLimits(95, 85, 3, 1, 1), System::nanoTime);
  private final Disks disks = new Disks(List.of(disk));
  private final DiskWatch watch =
      new DiskWatch(disks, store, runs, random, PageCache.UNKNOWN, counters, System::nanoTime);
  private final Scrubbers scrubbers =
      new Scrubbers(disks, runs, new ScrubConfig(1 << 30, 1), watch, scrubbed, System::nanoTime);

  @AfterEach
  void close() {
    scrubbers.close();
    scrubbers.close();
    store.removeApplication("app");
    store.close();
    runs.close();
    assertThat(storage.openChannelCount()).isZero();
    assertThat(storage.list()).isEmpty();
  }

  @Test
  void damagedBlockIsLostAndTheOthersOfItsRunAreServed() throws Exception {
    runs.start();
    spill(1, 0);
    spill(2, 0, 1);
    spill(3, 1);
    ShuffleLog log = store.find(KEY);
    storage.flip(((RunFile) log.runs().get(1).run()).name(), 300);

    scrubbers.start();

    await(() -> scrubbed.damagedRuns() == 1);
    await(() -> counters.lostBlocks() == 1);
    long block = BlockHeader.LENGTH + 1000;
    assertThat(counters.lostBytes()).isEqualTo(block);
    read(log, new LogRange(0, 0, block));
    read(log, new LogRange(1, 0, 2 * block));
    assertThatThrownBy(() -> read(log, new LogRange(0, block, block)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
    OpenSnapshot found = log.snapshot(new int[] {0, 1}, false);
    assertThat(found.attemptsOf(found.partitions().get(0).completeSet()).toArray())
        .containsExactly(1);
    assertThat(found.attemptsOf(found.partitions().get(1).completeSet()).toArray())
        .containsExactly(2, 3);
    long verified = scrubbed.verifiedRuns();
    await(() -> scrubbed.verifiedRuns() > verified + 3);
    assertThat(scrubbed.damagedRuns()).as("known damage is not reported again").isEqualTo(1);
    assertThat(counters.lostRuns()).isZero();
    assertThat(log.runs()).hasSize(3);
  }

  @Test
  void aRunWithADamagedFooterIsLostAndTheOthersAreServed() throws Exception {
    runs.start();
    spill(1, 0);
    spill(2, 0, 1);
    spill(3, 1);
    ShuffleLog log = store.find(KEY);
    RunFile second = (RunFile) log.runs().get(1).run();
    storage.flip(second.name(), second.length() - 10);

    scrubbers.start();

    await(() -> scrubbed.damagedRuns() == 1);
    await(() -> log.runs().size() == 2);
    await(() -> counters.lostRuns() == 1);
    await(() -> log.snapshot(new int[] {0, 1}, false).completeSets().size() == 2);
    long block = BlockHeader.LENGTH + 1000;
    read(log, new LogRange(0, 0, block));
    read(log, new LogRange(1, block, block));
    assertThatThrownBy(() -> read(log, new LogRange(0, block, block)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
    await(
        () ->
            log.snapshot(new int[] {0, 1}, false).completeSets().stream()
                .allMatch(set -> set.getCardinality() == 1));
    long verified = scrubbed.verifiedRuns();
    await(() -> scrubbed.verifiedRuns() > verified + 2);
    assertThat(scrubbed.damagedRuns()).isEqualTo(1);
  }

  /** One block of 1000 bytes of an attempt in each of some partitions, in a run of its own. */
  private void spill(long attempt, int... partitions) throws SluiceException {
    ByteBuf body = Unpooled.buffer();
    BlockBatch batch = new BlockBatch(partitions.length);
    for (int partition : partitions) {
      byte[] block =
          BlockBytes.block(attempt, 0, partition, 0, true, BlockBytes.payload(random, 1000));
      int at = body.writerIndex();
      body.writeBytes(block);
      batch.add(BlockHeader.read(body, at, body.writerIndex()));
    }
    ByteBuf exact = body.capacity(body.writerIndex());
    ShuffleLog log = store.findOrCreate(KEY);
    log.append(exact, exact.capacity(), batch);
    assertThat(new SpillWriter(1, runs, random, counters).write(log.takeForSpill(1 << 20), disk))
        .isTrue();
  }

  private static void read(ShuffleLog log, LogRange range) throws SluiceException {
    log.read(List.of(range)).forEach(LogPiece::release);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
