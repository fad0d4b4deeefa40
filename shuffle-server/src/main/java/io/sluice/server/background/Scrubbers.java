package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The scrubbers of a server, one per disk; none if scrubbing is off. Thread-safe. */
public final class Scrubbers implements AutoCloseable {
  private final List<DiskScrubber<ScrubbedRunFile>> scrubbers = new ArrayList<>();

  /**
   * @param loss declares a damaged run lost, so that readers go to another copy; called on a
   *     scrubber's thread
   */
  public Scrubbers(
      Disks disks,
      RunFiles files,
      ScrubConfig config,
      Consumer<RunFile> loss,
      ScrubCounters counters,
      LongSupplier nanoTime) {
    if (config.isOn()) {
      for (Disk disk : disks.list()) {
        // A remote file system looks after its bytes itself, and reading them costs a network.
        if (disk.kind() != StorageKind.REMOTE) {
          scrubbers.add(
              new DiskScrubber<>(
                  new ScrubbedDirectory(disk, files, loss, nanoTime),
                  config,
                  counters,
                  nanoTime,
                  scrubbers.size()));
        }
      }
    }
  }

  public void start() {
    scrubbers.forEach(DiskScrubber::start);
  }

  /** Ends the threads; one that waits for its disk is left behind. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(
        scrubbers.stream().map(DiskScrubber::thread).toList(), DiskScrubber.STOP_WAIT_MS);
  }
}
