package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunBlock;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeOutcome;
import io.sluice.server.background.MergeSteps;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.SpilledShuffle;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attempt n has one block, in partition {@code n % 3}. Disk threads run when a test lets them. */
class DamageReportsTest {
  private static final int PAYLOAD = 1000;
  private static final int BLOCK = BlockHeader.LENGTH + PAYLOAD;

  private final InMemoryStorage storage = new InMemoryStorage("disk", StorageKind.SSD);
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final Disk disk =
      new Disk(storage, catalog, new DiskLimits(95, 85, 3, 1, 1), System::nanoTime);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final DiskWatch watch =
      new DiskWatch(
          new Disks(List.of(disk)),
          store,
          files,
          new Random(1),
          PageCache.UNKNOWN,
          counters,
          System::nanoTime);
  private final DamageReports reports = new DamageReports(files, watch, counters);
  private final SpilledShuffle shuffle =
      new SpilledShuffle(store, files, new ShuffleKey("app", 1), PAYLOAD);

  @AfterEach
  void everythingIsReleased() {
    watch.close();
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    assertThat(files.count()).isZero();
    assertThat(storage.openChannelCount()).isZero();
    assertThat(catalogDamage()).isEmpty();
  }

  private Map<?, ?> catalogDamage() {
    try {
      return catalog.damage();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Flips a bit of the block of an attempt. */
  private void flip(RunFile run, int attempt, int at) {
    long offset = (long) (attempt / 3) * BLOCK + at;
    for (LocatedExtent extent : shuffle.log().located(attempt % 3)) {
      if (extent.offset() <= offset && offset < extent.offset() + extent.length()) {
        storage.flip(run.name(), extent.fileOffset() + offset - extent.offset());
        return;
      }
    }
    fail("attempt " + attempt + " is not in a file");
  }

  /** Reports the block of an attempt, at one of its bytes. */
  private CompletableFuture<Void> report(int attempt, int at) {
    return reports.verify(shuffle.log(), attempt % 3, (long) (attempt / 3) * BLOCK + at);
  }

  private void verifyReport(int attempt) {
    CompletableFuture<Void> verified = report(attempt, 0);
    files.deletePending();
    assertThat(verified).isCompleted();
  }

  private void assertLost(int... attempts) throws Exception {
    List<Integer> lost = IntStream.of(attempts).boxed().toList();
    for (int attempt = 0; attempt < shuffle.count(); attempt++) {
      int number = attempt;
      if (lost.contains(attempt)) {
        assertThatThrownBy(() -> shuffle.read(number))
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
      } else {
        shuffle.checkBlock(attempt);
      }
      assertThat(shuffle.complete(attempt % 3).contains(attempt))
          .as("attempt %d is complete", attempt)
          .isEqualTo(!lost.contains(attempt));
    }
  }

  @Test
  void aDamagedBlockIsLostAndNothingElse() throws Exception {
    shuffle.append(3);
    RunFile run = shuffle.spill(disk, 9);
    shuffle.append(6);
    flip(run, 4, BLOCK - 1);
    flip(run, 9, 10);

    CompletableFuture<Void> first = report(4, 0);
    CompletableFuture<Void> inTheMiddle = report(9, 500);
    assertThat(first).isNotDone();
    assertThat(counters.lostBlocks()).isZero();
    files.deletePending();

    assertThat(first).isCompleted();
    assertThat(inTheMiddle).isCompleted();
    assertLost(4, 9);
    assertThat(counters.lostBlocks()).isEqualTo(2);
    assertThat(counters.lostBytes()).isEqualTo(2L * BLOCK);
    assertThat(counters.lostRuns()).isZero();
    assertThat(counters.confirmedReports()).isEqualTo(2);
    assertThat(catalog.damage().get(run.id())).isEqualTo(run.damage()).hasSize(2);
    assertThat(report(4, 0)).as("known damage is not verified again").isCompleted();
    assertThat(files.count()).isEqualTo(1);
  }

  @Test
  void aLostBlockIsAcceptedAgain() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    flip(run, 4, 50);
    verifyReport(4);
    assertLost(4);

    ByteBuf body =
        Unpooled.wrappedBuffer(
            BlockBytes.block(4, 4, 1, 0, true, BlockBytes.payload(new Random(4), PAYLOAD)));
    BlockBatch batch = new BlockBatch(1);
    batch.add(BlockHeader.read(body, 0, body.capacity()));
    assertThat(shuffle.log().append(body, body.capacity(), batch).duplicateBlocks()).isZero();

    assertThat(shuffle.complete(1).toArray()).containsExactly(1, 4, 7);
  }

  @Test
  void aBlockWithARightChecksumIsKept() throws Exception {
    shuffle.spill(disk, 9);

    CompletableFuture<Void> verified = report(4, 0);
    files.deletePending();

    assertThat(verified).isCompleted();
    assertLost();
    assertThat(counters.unconfirmedReports()).isEqualTo(1);
    assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
  }

  @Test
  void ignoresReportsOfBytesThatAreInNoFile() throws Exception {
    shuffle.spill(disk, 9);
    shuffle.append(3);

    assertThat(report(10, 0)).as("in memory").isCompleted();
    assertThat(report(40, 0)).as("behind the end").isCompleted();
    assertThat(reports.verify(shuffle.log(), 99, 0)).as("no such partition").isCompleted();
    assertThat(reports.verify(shuffle.log(), 0, -1)).as("negative offset").isCompleted();
    assertThat(counters.unconfirmedReports() + counters.confirmedReports()).isZero();
  }

  @Test
  void anApplicationHasALimitOfWaitingReports() throws Exception {
    shuffle.spill(disk, 9);
    SpilledShuffle other = new SpilledShuffle(store, files, new ShuffleKey("other", 1), PAYLOAD);
    other.spill(disk, 1);
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < DamageReports.MAX_WAITING_OF_APPLICATION; i++) {
      waiting.add(report(i, 0));
    }
    assertThat(waiting).noneMatch(CompletableFuture::isDone);

    assertThat(report(8, 0)).as("beyond the limit").isCompleted();
    CompletableFuture<Void> ofOther = reports.verify(other.log(), 0, 0);
    assertThat(ofOther).as("of another application").isNotDone();

    files.deletePending();
    assertThat(waiting).allMatch(CompletableFuture::isDone);
    assertThat(ofOther).isCompleted();
    assertThat(report(8, 0)).isNotDone();
    files.deletePending();
    store.removeApplication("other");
  }

  @Test
  void aRunWithADamagedFooterIsLost() throws Exception {
    shuffle.spill(disk, 3);
    RunFile run = shuffle.spill(disk, 3);
    storage.flip(run.name(), run.length() - 10);

    verifyReport(4);

    assertLost(3, 4, 5);
    assertThat(counters.lostRuns()).isEqualTo(1);
  }

  @Test
  void aRunWithTooManyDamagedBlocksIsLost() throws Exception {
    shuffle.spill(disk, 3);
    RunFile run = shuffle.spill(disk, 3);
    List<DamagedBlock> blocks =
        IntStream.rangeClosed(0, RunFile.MAX_DAMAGED_BLOCKS)
            .mapToObj(i -> new DamagedBlock(0, i, new RunBlock(3, 3, 0, 1, 0), null))
            .toList();

    watch.declare(run, blocks);
    files.deletePending();

    assertLost(3, 4, 5);
    assertThat(run.damage()).isEmpty();
  }

  @Test
  void aDamagedRunIsNotMerged() throws Exception {
    RunFile first = shuffle.spill(disk, 9);
    RunFile second = shuffle.spill(disk, 9);
    MergeBatch begun = shuffle.log().takeForMerge(List.of(first, second));
    flip(second, 13, 50);
    verifyReport(13);

    MergeOutcome outcome =
        MergeSteps.merge(
            new MergeWriter(
                files, new Random(1), new MergeCounters(), (run, problem) -> fail(problem)),
            begun,
            disk,
            ByteBuffer.allocate(1 << 16),
            bytes -> {});

    assertThat(outcome).isNotEqualTo(MergeOutcome.MERGED);
    assertLost(13);
    assertThat(shuffle.log().takeForMerge(List.of(first, second))).isNull();
    assertThat(shuffle.log().runs()).extracting(LoggedRun::mergeable).containsExactly(true, false);
  }

  /** The remaining blocks are counted again, without those that are damaged. */
  @Test
  void damagedBlocksAreNotCountedAgainWhenAnotherRunIsLost() throws Exception {
    RunFile first = shuffle.spill(disk, 9);
    RunFile second = shuffle.spill(disk, 3);
    flip(first, 4, 50);
    verifyReport(4);

    watch.declare(second);
    files.deletePending();

    assertLost(4, 9, 10, 11);
  }

  @Test
  void aCatalogThatFailsDoesNotMatter() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    flip(run, 4, 50);
    catalog.failWith(new IOException("No space left on device"));
    verifyReport(4);
    catalog.failWith(null);

    assertLost(4);
    assertThat(catalog.damage()).isEmpty();
    assertThat(run.damage()).hasSize(1);
  }
}
