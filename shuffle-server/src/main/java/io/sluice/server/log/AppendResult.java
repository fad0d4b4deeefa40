package io.sluice.server.log;

import java.util.List;

/**
 * What became of the blocks of a frame.
 *
 * @param keptBlocks new blocks
 * @param keptBytes bytes of them
 * @param duplicateBlocks blocks that were here already, or that contradict their attempt: beyond
 *     its LAST block, or LAST with others beyond
 * @param fullPartitions partitions of the frame that have grown past the limit
 */
public record AppendResult(
    int keptBlocks, long keptBytes, int duplicateBlocks, List<Integer> fullPartitions) {}
