package io.sluice.server;

import io.sluice.server.disk.Disks;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.recovery.CleanStopMarker;
import io.sluice.server.recovery.Recovery;
import io.sluice.server.recovery.RecoveryResult;
import io.sluice.server.recovery.ScanResult;
import io.sluice.server.recovery.TombstoneWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Restores the shuffles of an earlier epoch, and writes the stop mark for the next start. */
final class StoreRecovery {
  private static final Logger log = LoggerFactory.getLogger(StoreRecovery.class);

  private static final long STOP_MARK_MS = 5_000;

  private final ServerConfig config;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Disks disks;
  private final ShuffleStore store;

  StoreRecovery(Startup startup, Disks disks, ShuffleStore store) {
    config = startup.config();
    clock = startup.clock();
    nanoTime = startup.nanoTime();
    this.disks = disks;
    this.store = store;
  }

  /** Restores the store from disk. From then on, removed shuffles are recorded on disk. */
  RecoveryResult recover(RunFiles runs) throws StartException {
    Recovery recovery =
        new Recovery(
            disks.list(), runs, store, config.storage().durability().recoveryTimeoutMs(), nanoTime);
    try {
      ScanResult findings = recovery.find();
      List<Path> directories = DataDirectories.paths(disks);
      long last = EpochFile.last(directories);
      long epoch = EpochFile.begin(directories, clock, last, findings.newestEpoch());
      RecoveryResult recovered = recovery.restore(findings, last, epoch);
      store.onForgotten(
          new TombstoneWriter(disks.list(), runs, clock, config.shuffles().maxTombstones())::add);
      return recovered;
    } catch (StartException e) {
      throw e;
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while recovering run files", e);
    }
  }

  /**
   * Writes the stop mark if all acknowledged blocks are in files. Without the mark, the next start
   * recovers as after a crash.
   */
  void writeStopMark(RecoveryResult recovered) throws InterruptedException {
    LogTotals totals = store.totals();
    if (totals.bufferedBytes() + totals.spillingBytes() > 0 || totals.anyLost()) {
      log.warn(
          "stop was not clean, acknowledged blocks are missing from run files and"
              + " the next start recovers as after a crash bufferedBytes={} spillingBytes={}"
              + " lostBlocks={}",
          totals.bufferedBytes(),
          totals.spillingBytes(),
          totals.anyLost());
      return;
    }
    CleanStopMarker mark =
        new CleanStopMarker(disks.list(), config.storage().durability().fsync() != Fsync.NEVER);
    if (!mark.write(recovered.epoch(), recovered.wholeSinceEpoch(), STOP_MARK_MS)) {
      log.warn(
          "stop mark was not written to every directory, the next start recovers as after a crash");
    }
  }
}
