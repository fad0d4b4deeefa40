package io.sluice.server.log;

import io.sluice.common.run.RunOrder;

/**
 * A run of a shuffle at one moment, for those who decide what to merge or to move.
 *
 * @param run borrowed: to be used further only by who retains it through its log
 * @param bytes of blocks that the log has in it
 * @param extents partitions that the log has in it
 * @param followsPrevious nothing lies between it and the run before it in the list
 * @param merging it is being merged
 */
public record LoggedRun(
    StoredRun run,
    RunOrder order,
    long bytes,
    int extents,
    boolean followsPrevious,
    boolean merging) {}
