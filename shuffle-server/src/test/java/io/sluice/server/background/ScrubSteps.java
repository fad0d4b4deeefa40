package io.sluice.server.background;

import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFiles;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Single passes of a scrubber, for tests of other packages that control the schedule. */
public final class ScrubSteps {
  private static final ScrubConfig CONFIG = new ScrubConfig(1L << 40, 1);

  private ScrubSteps() {}

  /**
   * Verifies every run of a healthy, idle disk.
   *
   * @param loss called with damaged runs and blocks
   * @param wait advances the clock of the disk by a number of milliseconds
   */
  public static void scrub(Disk disk, RunFiles files, DamageReports.Loss loss, LongConsumer wait) {
    DiskScrubber<ScrubbedRunFile> scrubber =
        new DiskScrubber<>(
            new ScrubbedDirectory(disk, files, loss, disk.nanoTime()),
            CONFIG,
            new ScrubCounters(),
            disk.nanoTime(),
            0,
            millis -> {
              wait.accept(millis);
              return true;
            });
    scrubber.pass();
    wait.accept(TimeUnit.SECONDS.toMillis(1));
    scrubber.pass();
  }
}
