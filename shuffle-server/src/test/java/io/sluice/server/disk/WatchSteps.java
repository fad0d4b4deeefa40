package io.sluice.server.disk;

import io.sluice.server.log.ShuffleStore;
import io.sluice.server.observe.ServerCounters;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** What the threads of a watch do, for tests of other packages that decide themselves when. */
public final class WatchSteps {
  private WatchSteps() {}

  /**
   * @param givenUp told of each run that is given up alone, before it is
   */
  public static DiskWatch create(
      Disks disks,
      ShuffleStore store,
      RunFiles files,
      Random random,
      ServerCounters counters,
      LongSupplier nanoTime,
      Consumer<RunFile> givenUp) {
    DiskLoss loss =
        new DiskLoss(store, files, counters) {
          @Override
          void declare(RunFile file) {
            givenUp.accept(file);
            super.declare(file);
          }
        };
    return new DiskWatch(
        disks, files, loss, random, PageCache.UNKNOWN, nanoTime, DiskChecker.REFRESH_MS);
  }

  /** Looks at each disk once. */
  public static void look(DiskWatch watch) {
    watch.look();
  }

  /** Checks one disk, and probes it if a probe is due. */
  public static void check(DiskWatch watch, int disk) {
    watch.checkers().get(disk).check();
  }
}
