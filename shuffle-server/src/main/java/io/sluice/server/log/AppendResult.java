package io.sluice.server.log;

import java.util.List;

/**
 * Result of appending the blocks of a frame.
 *
 * @param keptBlocks number of new blocks
 * @param keptBytes bytes of the new blocks
 * @param duplicateBlocks number of blocks that were dropped: duplicates, and blocks that contradict
 *     their attempt ({@link AttemptProgress.Verdict#CONTRADICTION})
 * @param fullPartitions partitions of the frame that are longer than the limit
 */
public record AppendResult(
    int keptBlocks, long keptBytes, int duplicateBlocks, List<Integer> fullPartitions) {}
