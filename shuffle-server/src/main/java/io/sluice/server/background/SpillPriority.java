package io.sluice.server.background;

import io.sluice.server.disk.Disk;

/** Priority of spills over merges. Thread-safe, cheap. */
public interface SpillPriority {
  /**
   * Whether merges from and to the disk must pause: a spill is being written there, or memory is
   * low and a spill will follow.
   */
  boolean mustPause(Disk disk);
}
