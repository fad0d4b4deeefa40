package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.HealthCause;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Effect of each disk fault on writing and reading a run. See {@code DiskWatchTest} for faults that
 * need a watch, {@code HungDiskTest} for a hung disk.
 */
class DiskFaultsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final InMemoryStorage storage = new InMemoryStorage("d", StorageKind.SSD);
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final Disk disk = new Disk(storage, catalog, DiskLimits.DEFAULT, nanos::get);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final SpilledShuffle shuffle =
      new SpilledShuffle(store, files, new ShuffleKey("app", 1), 700);

  @AfterEach
  void everythingIsReleased() {
    assertThat(disk.queueDepth()).isZero();
    assertThat(storage.unfinishedCount()).isZero();
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    assertThat(store.totals().spillingBytes()).isZero();
    assertThat(store.totals().bufferedBytes()).isZero();
  }

  @Test
  void anErrorAtAnyCallOfAWriteLosesNothing() throws Exception {
    shuffle.append(9);
    RunFile written = null;
    int call = 0;
    while (written == null && call < 100) {
      call++;
      storage.failAtCall(call);
      written = shuffle.spill(disk);
      shuffle.checkEveryBlock();
      assertThat(storage.list()).hasSize(written == null ? 0 : 1);
      assertThat(catalog.runs()).hasSize(written == null ? 0 : 1);
    }
    assertThat(call).as("create, writes, commit, and none").isBetween(4, 40);
    assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
  }

  @Test
  void consecutiveErrorsMakeTheDiskSuspectUntilAWriteSucceeds() throws Exception {
    shuffle.append(9);
    storage.failAlways(true);
    for (int i = 0; i < 3; i++) {
      assertThat(shuffle.spill(disk)).isNull();
    }
    assertThat(disk.health().state()).isEqualTo(HealthState.SUSPECT);
    assertThat(disk.health().cause()).isEqualTo(HealthCause.WRITE_ERRORS);
    assertThat(disk.isHealthy()).isFalse();
    assertThat(disk.mayWrite(1)).isFalse();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
    assertThat(disk.mayWrite(1)).as("tried again").isTrue();
    storage.failAlways(false);
    assertThat(shuffle.spill(disk)).isNotNull();
    assertThat(disk.isHealthy()).isTrue();
    shuffle.checkEveryBlock();
  }

  @Test
  void lackOfMemoryIsNotADiskFaultAndLosesNothing() throws Exception {
    shuffle.append(9);
    storage.beforeCall(
        () -> {
          throw new OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory");
        });
    for (int i = 0; i < 20; i++) {
      assertThat(shuffle.spill(disk)).isNull();
      assertThat(disk.queueDepth()).isZero();
      assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
      assertThat(disk.isDoubtful()).isFalse();
      assertThat(disk.mayWrite(1)).as("at once").isFalse();
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DiskLimits.DEFAULT.retryMs()));
      assertThat(disk.mayWrite(1)).as("a little later").isTrue();
    }
    storage.beforeCall(() -> {});
    assertThat(shuffle.spill(disk)).isNotNull();
    assertThat(disk.mayWrite(1)).isTrue();
    shuffle.checkEveryBlock();
  }

  @Test
  void lackOfDescriptorsIsNotADiskFault() throws Exception {
    shuffle.append(9);
    for (int i = 0; i < 20; i++) {
      disk.beginWrite(1).failed(new FileSystemException("/d/x", null, "Too many open files"));
    }
    assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
    assertThat(disk.mayWrite(1)).isFalse();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DiskLimits.DEFAULT.retryMs()));
    assertThat(disk.mayWrite(1)).isTrue();
  }

  @Test
  void aBugDuringAWriteIsNotADiskFaultAndLosesNothing() throws Exception {
    shuffle.append(9);
    storage.beforeCall(
        () -> {
          throw new IllegalStateException("a bug");
        });
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> shuffle.spill(disk)).hasMessage("a bug");
    }
    storage.beforeCall(() -> {});
    assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
    assertThat(disk.mayWrite(1)).as("at once").isFalse();
    shuffle.checkEveryBlock();
    assertThat(shuffle.spill(disk)).isNotNull();
    shuffle.checkEveryBlock();
  }

  @Test
  void shortWritesAreContinued() throws Exception {
    shuffle.append(9);
    storage.maxBytesPerWrite(13);
    RunFile run = shuffle.spill(disk);
    shuffle.checkEveryBlock();
    verify(run);
  }

  @Test
  void aWriteOfZeroBytesFails() throws Exception {
    shuffle.append(9);
    storage.maxBytesPerWrite(0);
    assertThat(shuffle.spill(disk)).isNull();
    shuffle.checkEveryBlock();
    storage.maxBytesPerWrite(Integer.MAX_VALUE);
    assertThat(shuffle.spill(disk)).isNotNull();
  }

  @Test
  void aDiskThatFillsUpDuringAWriteIsNotWrittenForARetryPeriod() throws Exception {
    shuffle.append(20);
    storage.capacityBytes(5_000);
    storage.failWhenFull(true);
    assertThat(shuffle.spill(disk)).isNull();
    storage.capacityBytes(1 << 20);
    disk.refresh();
    assertThat(disk.isFull())
        .as("a quota may be exceeded although the file system has space")
        .isTrue();
    assertThat(disk.health().state()).isEqualTo(HealthState.HEALTHY);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
    disk.refresh();
    assertThat(disk.mayWrite(20_000)).isTrue();
    assertThat(shuffle.spill(disk)).isNotNull();
    shuffle.checkEveryBlock();
  }

  @Test
  void aReadOnlyDiskIsSuspectAtOnceAndStillRead() throws Exception {
    shuffle.spill(disk, 5);
    storage.readOnly(true);
    shuffle.append(5);
    assertThat(shuffle.spill(disk)).isNull();
    assertThat(disk.health().cause()).isEqualTo(HealthCause.READ_ONLY);
    shuffle.checkEveryBlock();
    storage.readOnly(false);
  }

  @Test
  void aFailedDeletionIsRetried() throws Exception {
    shuffle.spill(disk, 5);
    storage.readOnly(true);
    store.removeApplication("app");
    files.deletePending();
    assertThat(storage.list()).hasSize(1);

    storage.readOnly(false);
    files.deletePending();

    assertThat(storage.list()).isEmpty();
    assertThat(files.count()).isZero();
  }

  @Test
  void aReadErrorFailsTheReadOnlyAsLongAsTheFaultLasts() throws Exception {
    shuffle.spill(disk, 5);
    storage.failReads(true);
    assertThatThrownBy(() -> shuffle.checkBlock(1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Input/output error");
    storage.failReads(false);
    shuffle.checkEveryBlock();
  }

  @Test
  void aVanishedDirectoryFailsWritesAndOpens() throws Exception {
    RunFile run = shuffle.spill(disk, 5);
    storage.vanished(true);
    shuffle.append(5);
    assertThat(shuffle.spill(disk)).isNull();
    assertThatThrownBy(run::openOwn).isInstanceOf(NoSuchFileException.class);
    shuffle.checkBlock(7);
    storage.vanished(false);
  }

  @Test
  void everyFlippedBitIsReportedWithFileAndOffset() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    RunExtent extent;
    try (RunReader reader = open(run)) {
      extent = reader.extents().get(1);
    }
    long trailer = run.length() - 64;
    flipped(run, 9, 0, "header");
    flipped(run, extent.fileOffset() + 100, extent.fileOffset(), "payload");
    flipped(run, extent.blockListOffset() + 5, extent.blockListOffset(), "block list");
    flipped(run, trailer - 3, -1, "index");
    flipped(run, trailer + 9, -1, "trailer");
    verify(run);
    shuffle.checkEveryBlock();
  }

  /** Flips a bit, checks that it is found, and flips it back. */
  private void flipped(RunFile run, long at, long named, String where) throws Exception {
    storage.flip(RunFiles.fileName(run.id()), at);
    assertThatThrownBy(() -> verify(run))
        .as(where)
        .isInstanceOfSatisfying(
            RunFormatException.class,
            e -> {
              assertThat(e).hasMessageContaining(run.toString());
              assertThat(e.offset()).isBetween(0L, run.length());
              if (named >= 0) {
                assertThat(e.offset()).isEqualTo(named);
              }
            });
    storage.flip(RunFiles.fileName(run.id()), at);
  }

  private static void verify(RunFile run) throws IOException {
    try (RunReader reader = open(run)) {
      reader.verify();
    }
  }

  private static RunReader open(RunFile run) throws IOException {
    return RunReader.open(run.openOwn(), run.toString());
  }
}
