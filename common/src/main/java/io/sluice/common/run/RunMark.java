package io.sluice.common.run;

/**
 * Slice mark: range of map indexes of consecutive blocks of a partition.
 *
 * @param offset logical offset of the first block in the partition
 * @param length length of the blocks in bytes
 */
public record RunMark(long offset, long length, int minMapIndex, int maxMapIndex) {}
