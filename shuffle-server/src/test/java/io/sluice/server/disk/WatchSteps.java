package io.sluice.server.disk;

import io.sluice.server.log.ShuffleStore;
import io.sluice.server.observe.ServerCounters;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Single steps of a disk watch, for tests of other packages that control the schedule. */
public final class WatchSteps {
  private WatchSteps() {}

  /**
   * @param onLost called with each run before it is declared lost
   */
  public static DiskWatch create(
      Disks disks,
      ShuffleStore store,
      RunFiles files,
      Random random,
      ServerCounters counters,
      LongSupplier nanoTime,
      Consumer<RunFile> onLost) {
    DiskLoss loss =
        new DiskLoss(store, files, counters) {
          @Override
          void declare(RunFile file) {
            onLost.accept(file);
            super.declare(file);
          }
        };
    return new DiskWatch(
        disks, files, loss, random, PageCache.UNKNOWN, nanoTime, DiskChecker.REFRESH_MS);
  }

  /** Checks each disk once. */
  public static void check(DiskWatch watch) {
    watch.check();
  }

  /** Checks one disk, and probes it if a probe is due. */
  public static void check(DiskWatch watch, int disk) {
    watch.checkers().get(disk).check();
  }
}
