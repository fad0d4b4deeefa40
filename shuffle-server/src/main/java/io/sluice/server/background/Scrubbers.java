package io.sluice.server.background;

import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The scrubbers of a server, one per disk; none if scrubbing is off. Thread-safe. */
public final class Scrubbers implements AutoCloseable {
  private final List<DiskScrubber<ScrubbedRunFile>> scrubbers = new ArrayList<>();

  /**
   * @param loss declares damaged runs and blocks lost, so that readers use another replica; called
   *     on a scrubber's thread
   */
  public Scrubbers(
      Disks disks,
      RunFiles files,
      ScrubConfig config,
      DamageReports.Loss loss,
      ScrubCounters counters,
      LongSupplier nanoTime) {
    if (config.isOn()) {
      for (Disk disk : disks.list()) {
        // A remote file system verifies its own data, and reads would use network bandwidth.
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

  /** Stops the threads; does not wait for a thread whose disk hangs. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(
        scrubbers.stream().map(DiskScrubber::thread).toList(), DiskScrubber.STOP_WAIT_MS);
  }
}
