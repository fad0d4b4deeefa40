package io.sluice.common.run;

import java.util.List;

/**
 * The blocks of one partition in a run.
 *
 * @param fileOffset offset of its first block in the file
 * @param length bytes of its blocks
 * @param logicalStart logical offset of its first block in the partition
 * @param minMapIndex lowest map index of its blocks
 * @param maxMapIndex highest map index of its blocks
 * @param blockCount number of blocks
 * @param blockListOffset offset of its block list in the file
 * @param blockListCrc32c checksum of the block list
 * @param marks slice marks by ascending offset, which cover the whole extent
 */
public record RunExtent(
    int partition,
    long fileOffset,
    long length,
    long logicalStart,
    int minMapIndex,
    int maxMapIndex,
    int blockCount,
    long blockListOffset,
    int blockListCrc32c,
    List<RunMark> marks) {
  public RunExtent {
    marks = List.copyOf(marks);
  }

  public long fileEnd() {
    return fileOffset + length;
  }

  /** A copy with the position and checksum of the block list. */
  RunExtent withBlockList(long offset, int crc32c) {
    return new RunExtent(
        partition,
        fileOffset,
        length,
        logicalStart,
        minMapIndex,
        maxMapIndex,
        blockCount,
        offset,
        crc32c,
        marks);
  }
}
