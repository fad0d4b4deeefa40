package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeOutcome;
import io.sluice.server.background.MergeSteps;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.SpilledShuffle;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.log.StoredRun;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final HealthConfig CONFIG =
      new HealthConfig(
          3, 3, 6, 2, 60_000, 10, 100, new ProbeConfig(10_000, 2_000, 20_000, 3), 30_000, 60_000);

  private static final long REFRESH_MS = 5;
  private final IOException eio = new IOException("Input/output error");

  private final AtomicLong nanos = new AtomicLong(1L << 40);
  private final InMemoryStorage first = new InMemoryStorage("first", StorageKind.SSD);
  private final InMemoryStorage second = new InMemoryStorage("second", StorageKind.SSD);
  private final InMemoryCatalog firstCatalog = new InMemoryCatalog();
  private final Disk ill = disk(first, firstCatalog);
  private final Disk well = disk(second, new InMemoryCatalog());
  private final Disks disks = new Disks(List.of(ill, well));
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final AtomicInteger droppedProbes = new AtomicInteger();
  private final DiskWatch watch =
      new DiskWatch(
          disks,
          files,
          new DiskLoss(store, files, counters),
          new Random(7),
          new UncachedProbes(),
          nanos::get,
          REFRESH_MS);
  private final SpilledShuffle shuffle =
      new SpilledShuffle(store, files, new ShuffleKey("app", 1), 1000);

  @AfterEach
  void everythingIsReleased() {
    watch.close();
    watch.close();
    first.vanished(false);
    first.readOnly(false);
    first.failReads(false);
    first.readableAgain();
    for (int i = 0; i < 6; i++) {
      check(61_000);
      watch.check();
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    assertThat(files.count()).isZero();
  }

  @Test
  void aProbeLeavesNothingBehind() throws Exception {
    shuffle.spill(ill, 3);
    for (int i = 0; i < 5; i++) {
      check(10_000);
    }
    assertThat(first.list()).hasSize(1);
    assertThat(first.unfinishedCount()).isZero();
    assertThat(first.openChannelCount()).isZero();
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(ill.isHealthy()).isTrue();
  }

  @Test
  void aReadOnlyDiskIsReadButNotWritten() throws Exception {
    shuffle.spill(ill, 3);
    check(10_000);
    first.readOnly(true);
    check(10_000);
    expect(HealthState.SUSPECT, HealthCause.READ_ONLY);
    assertThat(ill.isHealthy()).isFalse();
    assertThat(ill.mayWrite(1)).isFalse();
    for (int i = 0; i < 100; i++) {
      check(10_000);
    }
    shuffle.checkEveryBlock();
    first.readOnly(false);
    check(2_000);
    check(2_000);
    assertThat(ill.mayWrite(1)).isFalse();
    check(2_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(ill.mayWrite(1)).isTrue();
    shuffle.checkEveryBlock();
    assertThat(counters.lostRuns()).isZero();
  }

  @Test
  void aFullDiskIsNotFaulty() throws Exception {
    first.capacityBytes(10_000);
    first.failWhenFull(true);
    shuffle.append(30);
    assertThat(shuffle.spill(ill)).as("full in the middle").isNull();
    assertThat(ill.isFull()).isTrue();
    assertThat(ill.mayWrite(1)).isFalse();
    assertThat(first.list()).isEmpty();
    assertThat(first.unfinishedCount()).isZero();
    check(10_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    shuffle.checkEveryBlock();
    assertThat(shuffle.spill(well)).isNotNull();
    shuffle.checkEveryBlock();
    first.capacityBytes(1 << 20);
    check(30_000);
    assertThat(ill.mayWrite(1)).isTrue();
  }

  @Test
  void aVanishedDirectoryIsLostWithItsRunsAndReturnsEmpty() throws Exception {
    shuffle.spill(ill, 3);
    RunFile survivor = shuffle.spill(well, 3);
    shuffle.append(3);
    assertThat(shuffle.complete(0).toArray()).containsExactly(0, 3, 6);
    first.vanished(true);
    check(10_000);
    expect(HealthState.SUSPECT, HealthCause.VANISHED);
    watch.check();
    assertThat(shuffle.complete(0).toArray()).as("not lost yet").containsExactly(0, 3, 6);
    check(2_000);
    expect(HealthState.LOST, HealthCause.VANISHED);
    watch.check();
    for (int number = 0; number < 3; number++) {
      assertLost(number);
    }
    assertThat(counters.lostRuns()).isEqualTo(1);
    assertThat(counters.lostBytes()).isPositive();
    for (int number = 3; number < 9; number++) {
      shuffle.checkBlock(number);
    }
    assertThat(shuffle.complete(0).toArray()).as("blocks in memory").containsExactly(6);
    files.deletePending();
    assertThat(shuffle.complete(0).toArray()).as("counted again").containsExactly(3, 6);
    assertThat(files.on(well)).containsExactly(survivor);

    first.vanished(false);
    check(2_000);
    expect(HealthState.RECOVERING, HealthCause.VANISHED);
    assertThat(ill.mayWrite(1)).isFalse();
    check(2_000);
    check(2_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(firstCatalog.runs()).isEmpty();
    assertThat(shuffle.spill(ill)).isNotNull();
    shuffle.checkBlock(6);
    watch.check();
    assertThat(counters.lostRuns()).as("nothing is lost twice").isEqualTo(1);
  }

  @Test
  void aRecoveredDiskIsNotDoubtfulForEarlierFailedWrites() throws Exception {
    first.vanished(true);
    shuffle.append(3);
    assertThat(shuffle.spill(ill)).isNull();
    assertThat(ill.isDoubtful()).isTrue();
    check(10_000);
    check(2_000);
    expect(HealthState.LOST, HealthCause.VANISHED);
    watch.check();

    first.vanished(false);
    for (int i = 0; i < 3; i++) {
      check(2_000);
    }

    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(ill.isDoubtful()).isFalse();
    assertThat(ill.mayWrite(1)).isTrue();
  }

  @Test
  void aLostDiskThatReturnsWithItsFilesIsEmptiedFirst() throws Exception {
    shuffle.spill(ill, 3);
    first.failReads(true);
    check(10_000);
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);
    check(15_000);
    check(15_000);
    expect(HealthState.LOST, HealthCause.PROBE_FAILED);
    first.failReads(false);
    check(2_000);
    expect(HealthState.RECOVERING, HealthCause.PROBE_FAILED);
    assertThat(first.list()).as("not before it was declared lost").hasSize(1);
    watch.check();
    assertLost(0);
    check(2_000);
    assertThat(first.list()).isEmpty();
    assertThat(firstCatalog.runs()).isEmpty();
    check(2_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void manyFailedReadsAndFailedProbesMakeADiskLost() throws Exception {
    RunFile run = shuffle.spill(ill, 3);
    check(10_000);
    first.failReads(true);
    for (int i = 0; i < 6; i++) {
      ill.health().readFailed(run.failedRead(), eio);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    check(10_000);
    expect(HealthState.LOST, HealthCause.READ_ERRORS);
    watch.check();
    assertLost(1);
  }

  @Test
  void anUnreadableRunIsLostAloneIfItsDiskAnswersProbes() throws Exception {
    RunFile bad = shuffle.spill(ill, 3);
    shuffle.spill(ill, 3);
    SpilledShuffle other = new SpilledShuffle(store, files, new ShuffleKey("other", 1), 1000);
    other.spill(ill, 3);
    check(10_000);
    first.failReadsOf(bad.name());
    for (int i = 0; i < 30; i++) {
      ill.health().readFailed(bad.failedRead(0, 100), eio);
    }
    shuffle.checkBlock(3);
    assertThat(counters.lostRuns()).isZero();

    check(10_000);

    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(counters.lostRuns()).isEqualTo(1);
    for (int number = 0; number < 3; number++) {
      assertLost(number);
    }
    files.deletePending();
    assertThat(shuffle.complete(0).toArray()).containsExactly(3);
    shuffle.checkBlock(3);
    other.checkEveryBlock();
    assertThat(first.list()).hasSize(2);
    check(10_000);
    assertThat(counters.lostRuns()).isEqualTo(1);
    store.removeApplication("other");
  }

  @Test
  void aRunThatIsReadableAgainIsKept() throws Exception {
    RunFile run = shuffle.spill(ill, 3);
    check(10_000);
    // As for reads through a channel with changed flags.
    for (int i = 0; i < 30; i++) {
      ill.health().readFailed(run.failedRead(1, 99), new IOException("Invalid argument"));
    }
    check(10_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(counters.lostRuns()).isZero();
    shuffle.checkEveryBlock();
    assertThat(first.openChannelCount()).as("one channel stays open").isLessThanOrEqualTo(1);
  }

  @Test
  void aRunWithoutAFileIsLostIfItsDiskAnswersProbes() throws Exception {
    RunFile gone = shuffle.spill(ill, 3);
    check(10_000);
    first.delete(gone.name());
    for (int i = 0; i < 3; i++) {
      ill.health().readFailed(gone.failedRead(), new NoSuchFileException(gone.name()));
    }
    check(10_000);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(counters.lostRuns()).isEqualTo(1);
    assertLost(0);
  }

  @Test
  void unreadableFilesOfSeveralApplicationsAreLostAndMakeTheDiskSuspect() throws Exception {
    RunFile bad = shuffle.spill(ill, 3);
    shuffle.spill(ill, 3);
    SpilledShuffle other = new SpilledShuffle(store, files, new ShuffleKey("other", 1), 1000);
    RunFile alsoBad = other.spill(ill, 3);
    check(10_000);
    first.failReadsOf(bad.name());
    first.failReadsOf(alsoBad.name());
    for (int i = 0; i < 20; i++) {
      ill.health().readFailed(bad.failedRead(), eio);
      ill.health().readFailed(alsoBad.failedRead(), eio);
    }
    check(10_000);
    expect(HealthState.SUSPECT, HealthCause.READ_ERRORS);
    assertThat(counters.lostRuns()).isEqualTo(2);
    shuffle.checkBlock(3);
    for (int i = 0; i < 10; i++) {
      check(10_000);
      watch.check();
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    shuffle.checkBlock(3);
    store.removeApplication("other");
  }

  @Test
  void manyUnreadableFilesAreDeclaredLostAFewAtATime() throws Exception {
    for (int i = 0; i < 10; i++) {
      RunFile bad = shuffle.spill(ill, 1);
      first.failReadsOf(bad.name());
      ill.health().readFailed(bad.failedRead(), eio);
    }
    check(10_000);
    assertThat(counters.lostRuns()).isBetween(1L, 5L);
    check(2_000);
    check(2_000);
    assertThat(counters.lostRuns()).isEqualTo(10);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void itsThreadsProbeSoonAfterReadsFailed() throws Exception {
    RunFile bad = shuffle.spill(ill, 3);
    watch.start();
    first.failReadsOf(bad.name());
    for (int i = 0; i < 3; i++) {
      ill.health().readFailed(bad.failedRead(), eio);
    }
    awaitWhileTimePasses(() -> counters.lostRuns() == 1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void aProbeIsReadBackFromTheDiskAndNotFromThePageCache() {
    check(10_000);
    check(10_000);
    assertThat(droppedProbes).as("two of each disk").hasValue(4);
  }

  @Test
  void aHungDiskBlocksNoOtherThreadAndIsFinallyLost() throws Exception {
    shuffle.spill(ill, 3);
    shuffle.spill(well, 3);
    Runnable over = first.hang();
    Thread checker = new Thread(checker(ill)::check);
    checker.start();
    try {
      await(() -> checker(ill).busyNanos() == 0 && checker.getState() == Thread.State.WAITING);
      pass(20_001);
      watch.check();
      expect(HealthState.SUSPECT, HealthCause.HUNG);
      checker(well).check();
      assertThat(well.health().state()).isEqualTo(HealthState.HEALTHY);
      shuffle.checkBlock(3);
      pass(30_000);
      watch.check();
      expect(HealthState.LOST, HealthCause.HUNG);
      assertLost(0);
      shuffle.checkBlock(3);
    } finally {
      over.run();
    }
    checker.join(TimeUnit.NANOSECONDS.toMillis(DEADLINE_NANOS));
    assertThat(checker.isAlive()).isFalse();
  }

  @Test
  void slowProbesMakeADiskSuspect() {
    first.beforeCall(() -> pass(1));
    for (int i = 0; i < 20; i++) {
      check(10_000);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    first.beforeCall(() -> pass(400));
    for (int i = 0; i < 5; i++) {
      check(10_000);
    }
    expect(HealthState.SUSPECT, HealthCause.SLOW);
    first.beforeCall(() -> pass(1));
    for (int i = 0; i < 3; i++) {
      check(2_000);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void aWriteThatHangsMakesItsDiskSuspectUntilItReturns() {
    PendingWrite write = ill.beginWrite(100);
    pass(60_001);
    watch.check();
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    for (int i = 0; i < 10; i++) {
      check(2_000);
      watch.check();
    }
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    write.cancelled();
    for (int i = 0; i < 3; i++) {
      check(2_000);
      watch.check();
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void recountReportsAFlippedBitInAFooter() throws Exception {
    shuffle.spill(ill, 3);
    RunFile damaged = shuffle.spill(well, 3);
    second.flip(RunFiles.fileName(damaged.id()), damaged.length() - 10);
    RunFile alsoDamaged = shuffle.spill(well, 3);
    second.flip(RunFiles.fileName(alsoDamaged.id()), 9);
    first.vanished(true);
    check(10_000);
    check(2_000);
    watch.check();
    files.deletePending();
    assertThat(well.health().state()).isEqualTo(HealthState.SUSPECT);
    assertThat(well.health().cause()).isEqualTo(HealthCause.CHECKSUM_ERRORS);
    assertThat(shuffle.complete(0).toArray()).as("never wrongly complete").isEmpty();
    shuffle.checkBlock(3);
    shuffle.checkBlock(6);
  }

  @Test
  void recountUsesTheMergedRunIfAnInputWasMerged() throws Exception {
    shuffle.spill(ill, 3);
    List<StoredRun> inputs = List.of(shuffle.spill(well, 3), shuffle.spill(well, 3));
    first.vanished(true);
    check(10_000);
    check(2_000);
    watch.check();
    MergeOutcome outcome =
        MergeSteps.merge(
            new MergeWriter(
                files, new Random(1), new MergeCounters(), (run, problem) -> fail(problem)),
            shuffle.log().takeForMerge(inputs),
            well,
            ByteBuffer.allocate(1 << 16),
            bytes -> {});
    assertThat(outcome).isEqualTo(MergeOutcome.MERGED);
    files.deletePending();
    assertThat(shuffle.complete(0).toArray()).containsExactly(3, 6);
  }

  @Test
  void itsThreadsDetectAndHandleALostDisk() throws Exception {
    shuffle.spill(ill, 3);
    watch.start();
    first.vanished(true);
    for (int i = 0; i < 3; i++) {
      ill.health().writeFailed(new NoSuchFileException("first"));
    }
    awaitWhileTimePasses(() -> counters.lostRuns() == 1);
    first.vanished(false);
    awaitWhileTimePasses(() -> ill.health().state() == HealthState.HEALTHY);
    assertThat(well.health().state()).isEqualTo(HealthState.HEALTHY);
  }

  @Test
  void aProbeWithoutMemoryIsRetriedAndIsNotADiskFault() throws Exception {
    AtomicInteger refusals = new AtomicInteger(10);
    first.beforeCall(
        () -> {
          if (refusals.getAndDecrement() > 0) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
          }
        });
    watch.start();
    awaitWhileTimePasses(() -> refusals.get() < 0);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    ill.health().writeFailed(new IOException("d: Read-only file system"));
    expect(HealthState.SUSPECT, HealthCause.READ_ONLY);
    awaitWhileTimePasses(() -> ill.health().state() == HealthState.HEALTHY);
  }

  /** A page cache that counts dropped probes. */
  private final class UncachedProbes extends PageCache.Unknown {
    @Override
    public void drop(FileChannel file, long position, long length) {
      assertThat(position).isZero();
      assertThat(length).isPositive();
      droppedProbes.incrementAndGet();
    }
  }

  private void assertLost(int number) {
    assertThatThrownBy(() -> shuffle.read(number))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
  }

  private void check(long afterMs) {
    pass(afterMs);
    checker(ill).check();
    checker(well).check();
  }

  private DiskChecker checker(Disk disk) {
    return watch.checkers().stream().filter(each -> each.disk() == disk).findFirst().orElseThrow();
  }

  private void expect(HealthState state, HealthCause cause) {
    assertThat(ill.health().state()).isEqualTo(state);
    assertThat(ill.health().cause()).isEqualTo(cause);
  }

  private Disk disk(InMemoryStorage storage, InMemoryCatalog catalog) {
    return new Disk(
        storage,
        catalog,
        DiskLimits.DEFAULT,
        new DiskHealth(storage.name(), CONFIG, nanos::get),
        nanos::get);
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /**
   * Advances the fake clock 25 times as fast as real time, so that a probe has more than a second
   * to answer.
   */
  private void awaitWhileTimePasses(BooleanSupplier condition) {
    await(
        () -> {
          pass(25);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
          return condition.getAsBoolean();
        });
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
