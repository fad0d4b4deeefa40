package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Single rounds of a scrubber, for tests of other packages that decide themselves when. */
public final class ScrubSteps {
  private static final ScrubConfig CONFIG = new ScrubConfig(1L << 40, 1);

  private ScrubSteps() {}

  /**
   * Verifies every run of a disk that is well and that nobody uses.
   *
   * @param loss told of runs that are damaged
   * @param wait lets so many milliseconds pass on the clock of the disk
   */
  public static void scrub(Disk disk, RunFiles files, Consumer<RunFile> loss, LongConsumer wait) {
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
