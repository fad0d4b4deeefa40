package io.sluice.server;

import io.sluice.server.disk.Disks;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.recovery.ForgottenShuffles;
import io.sluice.server.recovery.Recovered;
import io.sluice.server.recovery.Recovery;
import io.sluice.server.recovery.ScanResult;
import io.sluice.server.recovery.StopMark;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes over what an earlier life of the server left, and leaves word for the next. */
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

  /** Fills the store, and has it remember on disk what it forgets from now on. */
  Recovered recover(RunFiles runs) throws StartException {
    Recovery recovery =
        new Recovery(
            disks.list(), runs, store, config.storage().durability().recoveryTimeoutMs(), nanoTime);
    try {
      ScanResult findings = recovery.find();
      List<Path> directories = DataDirectories.paths(disks);
      long last = EpochFile.last(directories);
      long epoch = EpochFile.begin(directories, clock, last, findings.newestEpoch());
      Recovered recovered = recovery.restore(findings, last, epoch);
      store.onForgotten(
          new ForgottenShuffles(disks.list(), runs, clock, config.shuffles().maxTombstones())::add);
      return recovered;
    } catch (StartException e) {
      throw e;
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while run files were recovered", e);
    }
  }

  /** Whatever was acknowledged lies in files now, or the next life is told nothing. */
  void markStop(Recovered recovered) throws InterruptedException {
    LogTotals totals = store.totals();
    if (totals.bufferedBytes() + totals.spillingBytes() > 0 || totals.anyLost()) {
      log.warn(
          "stop leaves blocks behind, as a crash would bufferedBytes={} spillingBytes={}"
              + " lostBlocks={}",
          totals.bufferedBytes(),
          totals.spillingBytes(),
          totals.anyLost());
      return;
    }
    StopMark mark =
        new StopMark(disks.list(), config.storage().durability().fsync() != Fsync.NEVER);
    if (!mark.write(recovered.epoch(), recovered.wholeSinceEpoch(), STOP_MARK_MS)) {
      log.warn(
          "not every directory took note of the stop, the next start will be as after a crash");
    }
  }
}
