package io.sluice.server.disk;

/**
 * How far a disk is trusted.
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
  /** Not written; what it holds is still read. */
  SUSPECT,
  /** What it held is declared lost. */
  LOST,
  /** Answers again; must be emptied and stay well before it is used. */
  RECOVERING;

  /** Whether new data goes there. */
  public boolean isWritten() {
    return this == HEALTHY;
  }

  /** Whether the runs that it holds count as there. */
  public boolean holdsData() {
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
