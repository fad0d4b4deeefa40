package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.StoredRun;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class MergerTest {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final AtomicBoolean wanted = new AtomicBoolean();

  @Test
  void mergesUntilThePolicySelectsNothing() throws Exception {
    MergeFixture shuffle = fixture(12, 0);
    try (Merger merger = merger(shuffle, new FanInPolicy(4))) {
      merger.start();
      await(() -> shuffle.counters.merges() == 3);
      assertThat(shuffle.log().runs()).hasSize(3);
      // The planner sets the queue length after it assigned the task, which may have ended by then.
      await(() -> merger.queueLength() == 0);
    }
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void readsAndPushesContinueDuringMerges() throws Exception {
    MergeFixture shuffle = fixture(2, 1);
    try (Merger merger = merger(shuffle, new BlockSizePolicy(20_000))) {
      merger.start();
      for (int i = 0; i < 400 || shuffle.counters.merges() < 3; i++) {
        assertThat(i).as("deadline").isLessThan(1_000_000);
        if (i < 400) {
          shuffle.run(i % 2, 10, 20, 400);
        }
        shuffle.checkSomewhere();
      }
    }
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void pausesWhileSpillsHavePriority() throws Exception {
    MergeFixture shuffle = fixture(4, 2);
    List<LoggedRun> before = shuffle.log().runs();
    wanted.set(true);
    try (Merger merger = merger(shuffle, new FanInPolicy(4))) {
      merger.start();
      await(() -> shuffle.counters.pauses() > 0);
      assertThat(shuffle.log().runs()).isEqualTo(before);
      wanted.set(false);
      await(() -> shuffle.counters.merges() == 1);
    }
    shuffle.check();
    shuffle.close();
  }

  @Test
  void stopsWhileAMergeIsPausedAndChangesNothing() throws Exception {
    MergeFixture shuffle = fixture(4, 3);
    wanted.set(true);
    Merger merger = merger(shuffle, new FanInPolicy(4));
    merger.start();
    await(() -> shuffle.counters.pauses() > 0);
    merger.close();
    merger.close();
    assertThat(shuffle.log().runs()).hasSize(4).allMatch(LoggedRun::mergeable);
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void pausesAndStopsDuringAMerge() throws Exception {
    MergeFixture shuffle = fixture(4, 4);
    int[] calls = {0};
    Merger merger =
        new Merger(
            shuffle.store,
            shuffle.disks,
            settings(new FanInPolicy(4)),
            shuffle.writer,
            // Before the merge, then once for the output and each input.
            disk -> calls[0]++ > 8,
            shuffle.counters,
            System::nanoTime);
    merger.start();
    await(() -> shuffle.counters.pauses() > 0);
    assertThat(shuffle.log().runs()).noneMatch(LoggedRun::mergeable);
    assertThat(shuffle.storages.get(0).unfinishedCount()).isEqualTo(1);
    shuffle.check();
    merger.close();
    assertThat(shuffle.log().runs()).hasSize(4).allMatch(LoggedRun::mergeable);
    assertThat(shuffle.counters.cancelled()).isEqualTo(1);
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void cancelsWhenTheShuffleIsDeleted() throws Exception {
    MergeFixture shuffle = fixture(4, 5);
    wanted.set(true);
    try (Merger merger = merger(shuffle, new FanInPolicy(4))) {
      merger.start();
      await(() -> shuffle.counters.pauses() > 0);
      shuffle.store.removeApplication("app");
      wanted.set(false);
    }
    assertThat(shuffle.counters.merges()).isZero();
    shuffle.close();
  }

  @Test
  void doesNotRetryAnUnreadableRun() throws Exception {
    MergeFixture shuffle = fixture(9, 6);
    RunFile gone = (RunFile) shuffle.log().runs().get(1).run();
    shuffle.storages.get(0).delete(RunFiles.fileName(gone.id()));
    try (Merger merger = merger(shuffle, new FanInPolicy(3))) {
      merger.start();
      await(() -> shuffle.counters.merges() == 2);
      await(() -> shuffle.failedInputs.size() == 1);
    }
    assertThat(shuffle.failedInputs).containsExactly(gone);
    assertThat(shuffle.log().runs()).extracting(LoggedRun::run).contains((StoredRun) gone);
    shuffle.close();
  }

  @Test
  void continuesOnceMemoryIsAvailableAgain() throws Exception {
    MergeFixture shuffle = fixture(4, 7);
    AtomicInteger refusals = new AtomicInteger(1);
    try (Merger merger =
        new Merger(
            shuffle.store,
            shuffle.disks,
            settings(new FanInPolicy(4)),
            shuffle.writer,
            disk -> false,
            shuffle.counters,
            System::nanoTime,
            bytes -> {
              if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("Cannot reserve direct buffer memory");
              }
              return ByteBuffer.allocateDirect(bytes);
            })) {
      merger.start();
      await(() -> shuffle.counters.merges() == 1);
      AtomicInteger more = new AtomicInteger(1);
      shuffle
          .storages
          .get(0)
          .beforeCall(
              () -> {
                if (Thread.currentThread().getName().startsWith("merge")
                    && more.getAndDecrement() > 0) {
                  throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                }
              });
      for (int i = 0; i < 4; i++) {
        shuffle.run(0, 10, 20, 400);
      }
      await(() -> shuffle.counters.merges() == 2);
      assertThat(more.get()).isNegative();
    }
    assertThat(shuffle.failedInputs).isEmpty();
    assertThat(shuffle.log().runs()).allMatch(LoggedRun::mergeable);
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void mergesNothingWithoutAPolicy() throws Exception {
    MergeFixture shuffle = new MergeFixture(7, StorageKind.SSD);
    try (Merger merger = merger(shuffle, new FanInPolicy(2))) {
      merger.start();
    }
    shuffle.close();
  }

  @Test
  void dividesTheMemory() {
    MergeConfig settings = new MergeConfig(Map.of(), 64 << 20, 1 << 30);
    assertThat(settings.bufferBytes(1)).isEqualTo(48 << 20);
    assertThat(settings.bufferBytes(4)).isEqualTo(12 << 20);
    assertThat(settings.bounds(4).maxInputs()).isEqualTo(48);
    assertThat(settings.bounds(1000).maxInputs()).isEqualTo(2);
    assertThat(settings.bounds(1).maxExtents()).isEqualTo((16 << 20) / 227);
  }

  /** Runs of twenty blocks on the first of two disks. */
  private static MergeFixture fixture(int runs, long seed) throws Exception {
    MergeFixture shuffle = new MergeFixture(seed, StorageKind.HDD, StorageKind.HDD);
    for (int i = 0; i < runs; i++) {
      shuffle.run(0, 10, 20, 400);
    }
    return shuffle;
  }

  private Merger merger(MergeFixture shuffle, MergePolicy policy) {
    return new Merger(
        shuffle.store,
        shuffle.disks,
        settings(policy),
        shuffle.writer,
        disk -> wanted.get(),
        shuffle.counters,
        System::nanoTime);
  }

  private static MergeConfig settings(MergePolicy policy) {
    return new MergeConfig(Map.of(StorageKind.HDD, policy), 8 << 20, 1 << 30);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
