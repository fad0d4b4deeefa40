package io.sluice.server.disk;

/**
 * Health of a disk.
 *
 * <pre>
 *   HEALTHY ----> SUSPECT ----> LOST ----> RECOVERING ----> HEALTHY
 *      ^             |            ^             |
 *      +-------------+            +-------------+
 * </pre>
 */
public enum HealthState {
  /** Written and read. */
  HEALTHY,
  /** Read, but not written. */
  SUSPECT,
  /** Its runs are declared lost. */
  LOST,
  /** Answers again; must be emptied and pass several probes before it is used. */
  RECOVERING;

  /** Whether new runs are written to the disk. */
  public boolean isWritten() {
    return this == HEALTHY;
  }

  /** Whether the runs of the disk are served. */
  public boolean isReadable() {
    return this == HEALTHY || this == SUSPECT;
  }

  boolean canMoveTo(HealthState next) {
    return switch (this) {
      case HEALTHY -> next == SUSPECT;
      case SUSPECT -> next == HEALTHY || next == LOST;
      case LOST -> next == RECOVERING;
      case RECOVERING -> next == HEALTHY || next == LOST;
    };
  }
}
