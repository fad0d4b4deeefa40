package io.sluice.server.background;

/**
 * A run as a policy sees it.
 *
 * @param bytes of its blocks, at least 1
 * @param extents partitions that it holds, at least 1
 * @param merged whether it was merged already
 */
public record MergeCandidate(long bytes, int extents, boolean merged) {}
