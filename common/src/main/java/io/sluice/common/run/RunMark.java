package io.sluice.common.run;

/**
 * The map indexes of a stretch of blocks.
 *
 * @param offset logical offset of its first block in the partition
 * @param length bytes
 */
public record RunMark(long offset, long length, int minMapIndex, int maxMapIndex) {}
