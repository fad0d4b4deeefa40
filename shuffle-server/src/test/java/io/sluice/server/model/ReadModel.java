package io.sluice.server.model;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.PageCache;
import io.sluice.server.read.DiskReadConfig;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * How a simulated server reads its files.
 *
 * @param cache null: random hits
 * @param memory of copies of file bytes
 * @param readers returns the executor of the reads of a disk
 */
record ReadModel(
    DiskReadConfig config,
    PageCache cache,
    ByteBufAllocator memory,
    Function<Disk, Executor> readers) {
  private static final DiskReadConfig SMALL = new DiskReadConfig(1000, 16, 16, 1000, 0, false);

  /** With short timeouts, and random hits of the page cache. */
  ReadModel(ByteBufAllocator memory, Function<Disk, Executor> readers) {
    this(SMALL, null, memory, readers);
  }
}
