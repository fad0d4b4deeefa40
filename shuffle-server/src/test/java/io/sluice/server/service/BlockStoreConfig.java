package io.sluice.server.service;

import io.sluice.server.background.SpillConfig;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryConfig;
import java.util.List;

/**
 * Configuration of a {@link BlockStore}.
 *
 * @param directories directories for run files, at least one
 * @param maxIdleOpenFiles maximum number of run files that stay open without readers
 */
public record BlockStoreConfig(
    MemoryConfig memory,
    StoreConfig store,
    SpillConfig spill,
    List<DirectoryConfig> directories,
    DiskLimits disks,
    ServiceConfig service,
    int maxIdleOpenFiles) {
  private static final int DEFAULT_IDLE_OPEN_FILES = 512;

  public BlockStoreConfig {
    directories = List.copyOf(directories);
    if (directories.isEmpty()) {
      throw new IllegalArgumentException("at least one directory for run files is needed");
    }
    if (maxIdleOpenFiles < 0) {
      throw new IllegalArgumentException("open files must not be negative: " + maxIdleOpenFiles);
    }
  }

  /**
   * Creates a configuration with defaults for the other values.
   *
   * @param heapMaxBytes maximum heap of the JVM, which limits the extents in memory
   */
  public static BlockStoreConfig of(
      MemoryConfig memory,
      List<DirectoryConfig> directories,
      DiskLimits disks,
      ServiceConfig service,
      long heapMaxBytes) {
    StoreConfig store = StoreConfig.forHeap(heapMaxBytes);
    return new BlockStoreConfig(
        memory,
        store,
        SpillConfig.forCapacity(memory.capacityBytes(), store.maxBufferedExtents() / 4),
        directories,
        disks,
        service,
        DEFAULT_IDLE_OPEN_FILES);
  }
}
