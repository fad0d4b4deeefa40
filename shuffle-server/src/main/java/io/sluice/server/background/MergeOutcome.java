package io.sluice.server.background;

/** How a merge has ended. Only {@link #MERGED} has changed anything. */
public enum MergeOutcome {
  MERGED,
  /** The runs are not what they were, or their shuffle is gone. */
  STALE,
  /** The server stops. */
  CANCELLED,
  /** A run cannot be read, or is damaged. */
  INPUT_FAILED,
  /** The merged run could not be written. */
  OUTPUT_FAILED,
  /** The server lacks memory or descriptors: the runs are merged with a later plan. */
  POSTPONED
}
