package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunMerger;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MergeWriterTest {
  private static final MergeBounds WIDE = new MergeBounds(100, 1L << 40, 1L << 40);

  @Test
  void replacesSeveralRunsByOne() throws Exception {
    MergeFixture shuffle = new MergeFixture(1, StorageKind.HDD);
    smallRuns(shuffle, 0, 0, 0, 0, 0, 0);
    List<LoggedRun> before = shuffle.log().runs();
    assertThat(merge(shuffle, runs(shuffle).subList(1, 5))).isEqualTo(MergeOutcome.MERGED);
    List<LoggedRun> after = shuffle.log().runs();
    assertThat(after).hasSize(3);
    assertThat(after.get(1).order()).isEqualTo(before.get(1).order());
    assertThat(after.get(1).followsPrevious()).isTrue();
    assertThat(after.get(2).followsPrevious()).isTrue();
    shuffle.check();
    shuffle.checkCatalogs();
    assertThat(shuffle.counters.merges()).isEqualTo(1);
    assertThat(shuffle.counters.mergedRuns()).isEqualTo(4);
    shuffle.close();
  }

  @Test
  void namesItsInputsInTheCatalog() throws Exception {
    MergeFixture shuffle = new MergeFixture(2, StorageKind.HDD, StorageKind.HDD);
    smallRuns(shuffle, 0, 1, 0);
    List<RunId> inputs = runs(shuffle).stream().map(run -> ((RunFile) run).id()).toList();
    assertThat(merge(shuffle, runs(shuffle))).isEqualTo(MergeOutcome.MERGED);
    shuffle.files.deletePending();
    RunRecord record = shuffle.catalogs.get(0).runs().get(0);
    assertThat(record.replaces()).isEqualTo(inputs);
    assertThat(record.shuffle()).isEqualTo(MergeFixture.KEY);
    assertThat(record.length()).isEqualTo(((RunFile) runs(shuffle).get(0)).length());
    assertThat(shuffle.catalogs.get(1).runs()).isEmpty();
    shuffle.check();
    shuffle.close();
  }

  /**
   * Fails call 1, 2, 3 ... of the disk until a merge succeeds; failed merges must change nothing.
   */
  @Test
  void changesNothingWhicheverCallOfTheDiskFails() throws Exception {
    MergeFixture shuffle = new MergeFixture(3, StorageKind.HDD);
    for (int i = 0; i < 4; i++) {
      shuffle.run(0, 20, 60, 3_000);
    }
    List<StoredRun> before = runs(shuffle);
    int call = 1;
    shuffle.storages.get(0).failAtCall(call);
    for (MergeOutcome outcome = merge(shuffle, before);
        outcome != MergeOutcome.MERGED;
        outcome = merge(shuffle, before)) {
      assertThat(outcome).isEqualTo(MergeOutcome.OUTPUT_FAILED);
      assertThat(runs(shuffle)).isEqualTo(before);
      assertThat(shuffle.log().runs()).allMatch(LoggedRun::mergeable);
      shuffle.checkCatalogs();
      shuffle.storages.get(0).failAtCall(++call);
    }
    assertThat(call).isGreaterThan(4);
    assertThat(shuffle.counters.failures()).isEqualTo(call - 1);
    shuffle.storages.get(0).failAtCall(Integer.MAX_VALUE);
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void changesNothingIfTheCatalogFails() throws Exception {
    MergeFixture shuffle = new MergeFixture(4, StorageKind.HDD);
    smallRuns(shuffle, 0, 0);
    List<StoredRun> before = runs(shuffle);
    shuffle.catalogs.get(0).failWith(new IOException("no more"));
    assertThat(merge(shuffle, before)).isEqualTo(MergeOutcome.OUTPUT_FAILED);
    shuffle.catalogs.get(0).failWith(null);
    assertThat(runs(shuffle)).isEqualTo(before);
    shuffle.check();
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void continuesShortWrites() throws Exception {
    MergeFixture shuffle = new MergeFixture(5, StorageKind.HDD);
    smallRuns(shuffle, 0, 0);
    shuffle.storages.get(0).maxBytesPerWrite(13);
    assertThat(merge(shuffle, runs(shuffle))).isEqualTo(MergeOutcome.MERGED);
    shuffle.check();
    shuffle.close();
  }

  @Test
  void reportsAnUnreadableRunToTheHealthOfItsDisk() throws Exception {
    MergeFixture shuffle = new MergeFixture(6, StorageKind.HDD, StorageKind.HDD);
    smallRuns(shuffle, 0, 1);
    RunFile gone = (RunFile) runs(shuffle).get(1);
    shuffle.storages.get(1).delete(RunFiles.fileName(gone.id()));
    List<StoredRun> before = runs(shuffle);
    assertThat(merge(shuffle, before)).isEqualTo(MergeOutcome.INPUT_FAILED);
    assertThat(shuffle.failedInputs).containsExactly(gone);
    assertThat(runs(shuffle)).isEqualTo(before);
    assertThat(shuffle.storages.get(0).unfinishedCount()).isZero();
    assertThat(shuffle.storages.get(0).list()).hasSize(1);
    shuffle.close();
  }

  @Test
  void dropsTheMergedRunIfTheShuffleWasDeletedMeanwhile() throws Exception {
    MergeFixture shuffle = new MergeFixture(7, StorageKind.HDD);
    smallRuns(shuffle, 0, 0);
    MergeBatch batch = shuffle.log().takeForMerge(runs(shuffle));
    MergeWriter.Result result =
        merge(shuffle, batch, 4_000, bytes -> shuffle.store.removeApplication("app"));
    assertThat(result.outcome()).isEqualTo(MergeOutcome.STALE);
    shuffle.close();
  }

  @Test
  void keepsTheOtherInputsIfOneIsLostMeanwhile() throws Exception {
    MergeFixture shuffle = new MergeFixture(8, StorageKind.HDD, StorageKind.HDD);
    smallRuns(shuffle, 0, 1, 0);
    List<StoredRun> before = runs(shuffle);
    MergeBatch batch = shuffle.log().takeForMerge(before);
    MergeWriter.Result result = merge(shuffle, batch, 4_000, bytes -> lose(shuffle, before.get(1)));
    assertThat(result.outcome()).isEqualTo(MergeOutcome.STALE);
    assertThat(runs(shuffle)).containsExactly(before.get(0), before.get(2));
    shuffle.checkCatalogs();
    shuffle.close();
  }

  @Test
  void canBeCancelledAtEveryCheckpoint() throws Exception {
    MergeFixture shuffle = new MergeFixture(9, StorageKind.HDD);
    smallRuns(shuffle, 0, 0, 0);
    List<StoredRun> before = runs(shuffle);
    MergeOutcome outcome = MergeOutcome.CANCELLED;
    int checkpoints = 0;
    while (outcome != MergeOutcome.MERGED) {
      int cancelAt = checkpoints++;
      int[] seen = {0};
      outcome =
          merge(
                  shuffle,
                  shuffle.log().takeForMerge(before),
                  3_000,
                  bytes -> {
                    if (seen[0]++ == cancelAt) {
                      throw new MergeCancelledException("test");
                    }
                  })
              .outcome();
      shuffle.check();
      shuffle.checkCatalogs();
    }
    assertThat(checkpoints).isGreaterThan(3);
    assertThat(shuffle.counters.cancelled()).isEqualTo(checkpoints - 1);
    assertThat(shuffle.counters.failures()).isZero();
    shuffle.close();
  }

  @Test
  void endsTheBatchWhateverIsThrown() throws Exception {
    MergeFixture shuffle = new MergeFixture(10, StorageKind.HDD);
    smallRuns(shuffle, 0, 0);
    MergeBatch batch = shuffle.log().takeForMerge(runs(shuffle));
    assertThatThrownBy(
            () ->
                merge(
                    shuffle,
                    batch,
                    100,
                    bytes -> {
                      throw new IllegalStateException("bug");
                    }))
        .hasMessage("bug");
    assertThat(shuffle.log().runs()).allMatch(LoggedRun::mergeable);
    shuffle.checkCatalogs();
    shuffle.close();
  }

  /**
   * Pushes, spills, merges and reads at random, with occasional disk failures; every byte stays
   * readable.
   */
  @Test
  void agreesWithTheModelForRandomMerges() throws Exception {
    long merges = 0;
    long failures = 0;
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      MergeFixture shuffle =
          new MergeFixture(seed, StorageKind.HDD, StorageKind.HDD, StorageKind.SSD);
      Map<StorageKind, MergePolicy> policies =
          Map.of(
              StorageKind.HDD,
              random.nextBoolean() ? new FanInPolicy(3) : new BlockSizePolicy(2_000),
              StorageKind.SSD,
              new BlockSizePolicy(1 + random.nextInt(3_000)));
      MergePlanner planner =
          new MergePlanner(
              policies,
              new MergeBounds(2 + random.nextInt(8), 1 + random.nextInt(100_000), 1_000),
              run -> false);
      shuffle.append(1 + random.nextInt(8), 4, 100);
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(6)) {
          case 0, 1 -> shuffle.append(1 + random.nextInt(8), 1 + random.nextInt(6), 400);
          case 2, 3 -> shuffle.spill(random.nextInt(3));
          case 4 -> {
            for (MergeTask task : planner.plan(shuffle.store.logs())) {
              int failing = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : Integer.MAX_VALUE;
              shuffle.storages.forEach(storage -> storage.failAtCall(failing));
              MergeBatch batch = task.log().takeForMerge(task.runs());
              assertThat(batch).as("seed %d: neighbours", seed).isNotNull();
              MergeWriter.Result result =
                  shuffle.writer.merge(
                      batch,
                      task.output(),
                      ByteBuffer.allocate(task.runs().size() * (1 + random.nextInt(2_000))),
                      bytes -> {});
              if (result.outcome() == MergeOutcome.MERGED) {
                merges++;
              }
            }
            shuffle.storages.forEach(storage -> storage.failAtCall(Integer.MAX_VALUE));
          }
          default -> shuffle.checkSomewhere();
        }
      }
      shuffle.check();
      shuffle.checkCatalogs();
      shuffle.close();
      failures += shuffle.counters.failures();
    }
    assertThat(merges).isGreaterThan(200);
    assertThat(failures).isGreaterThan(20);
  }

  @Test
  void plansOnlyNeighboursOnWorkingDisksOfOneKind() throws Exception {
    MergeFixture shuffle = new MergeFixture(11, StorageKind.HDD, StorageKind.SSD, StorageKind.HDD);
    smallRuns(shuffle, 0, 2, 1, 0, 0, 2);
    List<StoredRun> runs = runs(shuffle);
    Map<StorageKind, MergePolicy> policies = Map.of(StorageKind.HDD, new FanInPolicy(2));
    MergePlanner planner = new MergePlanner(policies, WIDE, runs.get(3)::equals);
    List<MergeTask> tasks = planner.plan(shuffle.store.logs());
    assertThat(tasks).hasSize(2);
    assertThat(tasks)
        .extracting(MergeTask::runs)
        .containsExactlyInAnyOrder(runs.subList(0, 2), runs.subList(4, 6));
    shuffle.storages.get(0).capacityBytes(1);
    shuffle.disks.list().get(0).refresh();
    assertThat(planner.plan(shuffle.store.logs()))
        .as("to the disk with free space")
        .hasSize(2)
        .allMatch(task -> task.output() == shuffle.disks.list().get(2));
    shuffle.storages.get(2).capacityBytes(1);
    shuffle.disks.list().get(2).refresh();
    assertThat(planner.plan(shuffle.store.logs())).isEmpty();
    shuffle.close();
  }

  private static List<StoredRun> runs(MergeFixture shuffle) throws Exception {
    return shuffle.log().runs().stream().map(LoggedRun::run).toList();
  }

  private static void smallRuns(MergeFixture shuffle, int... disks) throws Exception {
    for (int disk : disks) {
      shuffle.run(disk, 10, 30, 500);
    }
  }

  /** To the first disk. */
  private static MergeWriter.Result merge(
      MergeFixture shuffle, MergeBatch batch, int memoryBytes, RunMerger.Checkpoint checkpoint) {
    return shuffle.writer.merge(
        batch, shuffle.disks.list().get(0), ByteBuffer.allocate(memoryBytes), checkpoint);
  }

  private static MergeOutcome merge(MergeFixture shuffle, List<StoredRun> runs) throws Exception {
    MergeBatch batch = shuffle.log().takeForMerge(runs);
    return merge(shuffle, batch, 1 << 16, bytes -> {}).outcome();
  }

  private static void lose(MergeFixture shuffle, StoredRun run) throws IOException {
    try {
      shuffle.log().lose(Set.of(run));
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
