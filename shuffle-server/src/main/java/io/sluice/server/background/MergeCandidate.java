package io.sluice.server.background;

/**
 * A run that a policy may select.
 *
 * @param bytes bytes of blocks, at least 1
 * @param extents number of partitions in the run, at least 1
 * @param merged whether the run is the output of a merge
 */
public record MergeCandidate(long bytes, int extents, boolean merged) {}
