package io.sluice.server.merge;

import io.sluice.server.storage.Disk;

/** Whether something more urgent than merging wants a disk. Thread-safe, cheap. */
public interface MergeUrgency {
  /**
   * Merging from and to the disk waits while this is true: a spill is being written there, or
   * memory is so short that one will be.
   */
  boolean isWanted(Disk disk);
}
