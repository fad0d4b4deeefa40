package io.sluice.server.background;

import io.sluice.server.disk.Disk;

/** Whether something more urgent than merging wants a disk. Thread-safe, cheap. */
public interface MergeUrgency {
  /**
   * Merging from and to the disk waits while this is true: a spill is being written there, or
   * memory is so short that one will be.
   */
  boolean isWanted(Disk disk);
}
