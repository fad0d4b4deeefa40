package io.sluice.server.background;

import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunFormatException;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A disk of the server; busy during writes, and for a time after each read. */
final class ScrubbedDirectory implements ScrubbedDisk<ScrubbedRunFile> {
  /** An active reader reads again within this time. */
  private static final long RECENT_READ_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Disk disk;
  private final RunFiles files;
  private final DamageReports.Loss loss;
  private final LongSupplier nanoTime;

  ScrubbedDirectory(Disk disk, RunFiles files, DamageReports.Loss loss, LongSupplier nanoTime) {
    this.disk = disk;
    this.files = files;
    this.loss = loss;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return disk.name();
  }

  @Override
  public boolean isBusy() {
    if (disk.queueDepth() > 0 || disk.health().state() != HealthState.HEALTHY) {
      return true;
    }
    long now = nanoTime.getAsLong();
    for (RunFile file : files.on(disk)) {
      if (file.lastReadNanos() != 0 && now - file.lastReadNanos() < RECENT_READ_NANOS) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<ScrubbedRunFile> runs() {
    return files.on(disk).stream().map(ScrubbedRunFile::new).toList();
  }

  @Override
  public void damaged(ScrubbedRunFile run, RunFormatException where) {
    disk.health().checksumFailed(run.file(), where.offset());
    loss.declare(run.run());
  }

  @Override
  public void damaged(ScrubbedRunFile run, List<DamagedBlock> blocks) {
    // Once for all: one fault of a disk can damage many adjacent blocks.
    disk.health().checksumFailed(run.file(), blocks.get(0).fileOffset());
    loss.declare(run.run(), blocks);
  }

  @Override
  public void unreadable(ScrubbedRunFile run, IOException problem) {
    disk.health().readFailed(run.run().failedRead(), problem);
  }
}
