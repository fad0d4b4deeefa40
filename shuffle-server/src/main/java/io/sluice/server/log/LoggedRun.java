package io.sluice.server.log;

import io.sluice.common.run.RunOrder;

/**
 * Snapshot of a run of a shuffle, for selecting the runs to merge or to move.
 *
 * @param run borrowed: must be retained through its log before use
 * @param bytes bytes of blocks that the log references in the run
 * @param extents number of partitions that the log references in the run
 * @param followsPrevious whether the run directly follows the previous run of the list
 * @param mergeable whether the run can be merged: no merge of it is in progress, and it has no
 *     damaged blocks
 */
public record LoggedRun(
    StoredRun run,
    RunOrder order,
    long bytes,
    int extents,
    boolean followsPrevious,
    boolean mergeable) {}
