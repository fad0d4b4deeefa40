package io.sluice.server.background;

/** Outcome of a merge. The inputs are kept unless it is {@link #MERGED}. */
public enum MergeOutcome {
  MERGED,
  /** The runs have changed, or their shuffle was deleted. */
  STALE,
  /** The server stops. */
  CANCELLED,
  /** A run cannot be read, or is damaged. */
  INPUT_FAILED,
  /** The merged run could not be written. */
  OUTPUT_FAILED,
  /** The server is out of memory or file descriptors: a later plan merges the runs. */
  POSTPONED
}
