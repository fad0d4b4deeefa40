package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.HealthCause;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DemoterTest {
  private static final long UNBOUNDED = Long.MAX_VALUE;

  private final AtomicLong nanos = new AtomicLong(1L << 40);
  private final InMemoryStorage fast = new InMemoryStorage("fast", StorageKind.SSD);
  private final InMemoryStorage slow = new InMemoryStorage("slow", StorageKind.HDD);
  private final InMemoryCatalog fastCatalog = new InMemoryCatalog();
  private final InMemoryCatalog slowCatalog = new InMemoryCatalog();
  private final Disk ssd = new Disk(fast, fastCatalog, limits(), nanos::get);
  private final Disk hdd = new Disk(slow, slowCatalog, limits(), nanos::get);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final SpilledShuffle shuffle =
      new SpilledShuffle(store, files, new ShuffleKey("app", 1), 1000);
  private Demoter demoter = demoter(List.of(hdd, ssd));

  @AfterEach
  void everythingIsReleased() throws IOException {
    demoter.close();
    demoter.close();
    fast.failReads(false);
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    assertThat(files.count()).isZero();
    assertThat(fast.list()).isEmpty();
    assertThat(slow.list()).isEmpty();
    assertThat(fastCatalog.runs()).isEmpty();
    assertThat(slowCatalog.runs()).isEmpty();
    assertThat(slow.unfinishedCount()).isZero();
    assertThat(fast.openChannelCount() + slow.openChannelCount()).isZero();
    assertThat(hdd.queueDepth()).isZero();
  }

  @Test
  void nothingMovesBelowTheHighWatermark() throws Exception {
    fillTo(94, 1, 1, 1);
    demoter.demote();
    assertThat(counters.demotedRuns()).isZero();
  }

  @Test
  void theLargestMoveUntilTheDiskReachesItsLowWatermark() throws Exception {
    List<RunFile> runs = fillTo(96, 1, 6, 2, 1);
    demoter.demote();
    assertThat(runs).extracting(RunFile::disk).containsExactly(ssd, hdd, ssd, ssd);
    files.deletePending();
    assertThat(ssd.isFull()).isFalse();
    assertThat(counters.demotedRuns()).isEqualTo(1);
    assertThat(counters.demotedBytes()).isEqualTo(runs.get(1).length());
    assertThat(fast.list()).hasSize(3);
    assertThat(fastCatalog.runs()).hasSize(3);
    assertThat(slowCatalog.runs()).containsExactly(runs.get(1).record());
    shuffle.checkEveryBlock();
    demoter.demote();
    assertThat(counters.demotedRuns()).isEqualTo(1);
  }

  @Test
  void theColdestOfEqualRunsMoves() throws Exception {
    List<RunFile> runs = fillTo(96, 2, 2, 2, 2, 2);
    pass(60_000);
    for (int i : new int[] {0, 1, 2, 4}) {
      runs.get(i).markRead(nanos.get());
    }
    pass(1_000);
    demoter.demote();
    assertThat(runs).extracting(RunFile::disk).containsExactly(ssd, ssd, ssd, hdd, ssd);
    shuffle.checkEveryBlock();
  }

  @Test
  void readersContinueDuringAMoveAndTheOldFileIsDeletedAfterThem() throws Exception {
    List<RunFile> runs = fillTo(96, 5, 1);
    List<LogPiece> found = shuffle.read(0);
    LogPiece.InFile piece = (LogPiece.InFile) found.get(0);
    FileChannel before = piece.run().channel();
    demoter.demote();
    files.deletePending();
    assertThat(runs.get(0).disk()).isEqualTo(hdd);
    FileChannel after = piece.run().channel();
    assertThat(after).isNotSameAs(before);
    ByteBuf old = Unpooled.buffer();
    ByteBuf moved = Unpooled.buffer();
    old.writeBytes(before, piece.position(), piece.length());
    moved.writeBytes(after, piece.position(), piece.length());
    assertThat(old).isEqualTo(moved);
    found.forEach(LogPiece::release);
    files.deletePending();
    assertThat(before.isOpen()).isFalse();
    assertThat(fast.list()).hasSize(1);
    shuffle.checkEveryBlock();
  }

  @Test
  void aRunDeletedDuringItsMoveLeavesNoFile() throws Exception {
    fillTo(96, 5, 1);
    slow.beforeCall(
        () -> {
          slow.beforeCall(() -> {});
          store.removeApplication("app");
        });
    demoter.demote();
    files.deletePending();
    assertThat(fast.list()).isEmpty();
    assertThat(slow.list()).isEmpty();
  }

  @Test
  void failingAtEachCallOfTheTargetChangesNothing() throws Exception {
    List<RunFile> runs = fillTo(96, 5, 1);
    int call = 0;
    do {
      call++;
      slow.failAtCall(call);
      demoter.demote();
      files.deletePending();
      shuffle.checkEveryBlock();
      boolean moved = runs.get(0).disk() == hdd;
      assertThat(fast.list()).hasSize(moved ? 1 : 2);
      assertThat(slow.list()).hasSize(moved ? 1 : 0);
      assertThat(fastCatalog.runs()).hasSize(moved ? 1 : 2);
      assertThat(slowCatalog.runs()).hasSize(moved ? 1 : 0);
      assertThat(slow.unfinishedCount()).isZero();
      pass(61_000);
    } while (runs.get(0).disk() == ssd && call < 100);
    assertThat(call).as("create, a write, commit").isBetween(4, 10);
  }

  @Test
  void aRunStaysWhereItIsIfTheCatalogOfTheTargetFails() throws Exception {
    RunFile run = fillTo(96, 5).get(0);
    slowCatalog.failWith(new IOException("injected"));
    demoter.demote();
    slowCatalog.failWith(null);
    files.deletePending();

    assertThat(run.disk()).isEqualTo(ssd);
    assertThat(fast.list()).hasSize(1);
    assertThat(fastCatalog.runs()).hasSize(1);
    assertThat(slow.list()).isEmpty();
    shuffle.checkEveryBlock();
  }

  @Test
  void aFailedMoveIsRetriedAfterAMinute() throws Exception {
    RunFile run = fillTo(96, 5).get(0);
    slow.failAtCall(1);
    demoter.demote();
    assertThat(run.disk()).isEqualTo(ssd);

    pass(59_000);
    demoter.demote();
    assertThat(run.disk()).as("before the minute is over").isEqualTo(ssd);

    pass(2_000);
    demoter.demote();
    assertThat(run.disk()).isEqualTo(hdd);
    files.deletePending();
  }

  @Test
  void anUnreadableSourceIsReportedToItsHealthAndTheNextRunMoves() throws Exception {
    fillTo(96, 5, 1);
    fast.failReads(true);
    for (int i = 0; i < 3; i++) {
      demoter.demote();
      pass(61_000);
    }
    assertThat(counters.demotedRuns()).isZero();
    assertThat(slow.list()).isEmpty();
    assertThat(hdd.health().state()).isEqualTo(HealthState.HEALTHY);
    fast.failReads(false);
    shuffle.checkEveryBlock();
  }

  @Test
  void aRunDoesNotMoveToADiskWithAPendingDeletionOfIt() throws Exception {
    RunFile run = fillTo(96, 5, 1).get(0);
    RunMover mover = new RunMover(files, (target, bytes) -> true);
    slow.failReads(true);
    assertThat(mover.move(run, hdd)).isFalse();
    slow.failReads(false);
    assertThat(mover.move(run, hdd)).as("the first copy still exists").isFalse();
    files.deletePending();
    assertThat(slow.list()).isEmpty();
    assertThat(mover.move(run, hdd)).isTrue();
    files.deletePending();
    assertThat(slow.list()).hasSize(1);
    shuffle.checkEveryBlock();
  }

  @Test
  void aRunWithAFlippedBitInHeaderOrTrailerIsNotMoved() throws Exception {
    List<RunFile> runs = fillTo(96, 5, 1);
    fast.flip(RunFiles.fileName(runs.get(0).id()), 9);
    demoter.demote();
    files.deletePending();
    assertThat(runs.get(0).disk()).isEqualTo(ssd);
    assertThat(slowCatalog.runs()).extracting(each -> each.id()).doesNotContain(runs.get(0).id());
  }

  @Test
  void nothingMovesToAFullOrSuspectDisk() throws Exception {
    fillTo(96, 5, 1);
    hdd.health().writeFailed(new IOException("Read-only file system"));
    assertThat(hdd.health().cause()).isEqualTo(HealthCause.READ_ONLY);
    demoter.demote();
    assertThat(counters.demotedRuns()).isZero();
  }

  @Test
  void disksOfTheSlowerKindShare() throws Exception {
    InMemoryStorage other = new InMemoryStorage("other", StorageKind.HDD);
    demoter =
        demoter(List.of(ssd, hdd, new Disk(other, new InMemoryCatalog(), limits(), nanos::get)));
    fillTo(96, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    demoter.demote();
    assertThat(slow.list()).isNotEmpty();
    assertThat(other.list()).isNotEmpty();
    shuffle.checkEveryBlock();
    files.deletePending();
  }

  /** Random moves, spills, reads and deletions: every block stays readable. */
  @Test
  void movesAtRandomNeverChangeABlock() throws Exception {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      SpilledShuffle mine =
          new SpilledShuffle(store, files, new ShuffleKey("app", (int) seed + 1), 500);
      List<LogPiece> pieces = new ArrayList<>();
      List<RunFile> runs = new ArrayList<>();
      RunMover mover = new RunMover(files, (target, bytes) -> random.nextInt(10) > 0);
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(6)) {
          case 0 -> runs.add(mine.spill(random.nextBoolean() ? ssd : hdd, 1 + random.nextInt(9)));
          case 1 -> mine.append(1);
          case 2, 3 -> {
            if (!runs.isEmpty()) {
              RunFile run = runs.get(random.nextInt(runs.size()));
              slow.failAtCall(1 + random.nextInt(12));
              fast.failAtCall(1 + random.nextInt(12));
              mover.move(run, run.disk() == ssd ? hdd : ssd);
              slow.failAtCall(Integer.MAX_VALUE);
              fast.failAtCall(Integer.MAX_VALUE);
            }
          }
          case 4 -> {
            if (mine.count() > 0) {
              pieces.addAll(mine.read(random.nextInt(mine.count())));
            }
          }
          default -> {
            pieces.forEach(LogPiece::release);
            pieces.clear();
            files.deletePending();
          }
        }
        if (mine.count() > 0) {
          mine.checkBlock(random.nextInt(mine.count()));
        }
      }
      mine.checkEveryBlock();
      pieces.forEach(LogPiece::release);
      store.removeApplication("app");
      files.deletePending();
      assertThat(fast.list()).as("seed %s", seed).isEmpty();
      assertThat(slow.list()).as("seed %s", seed).isEmpty();
    }
  }

  /**
   * Spills runs with the given numbers of blocks, and sets the capacity so that they use a share of
   * it.
   */
  private List<RunFile> fillTo(int percent, int... blocks) throws Exception {
    List<RunFile> runs = new ArrayList<>();
    long sum = 0;
    for (int count : blocks) {
      RunFile run = shuffle.spill(ssd, count * 10);
      sum += run.length();
      runs.add(run);
    }
    fast.capacityBytes(sum * 100 / percent);
    ssd.refresh();
    pass(1_000);
    return runs;
  }

  private Demoter demoter(List<Disk> disks) {
    return new Demoter(new Disks(disks), files, UNBOUNDED, counters, nanos::get);
  }

  private static DiskLimits limits() {
    return new DiskLimits(95, 85, 10, 1, 1);
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}
