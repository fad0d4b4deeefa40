package io.sluice.common.run;

import java.util.List;

/**
 * What a run holds of one partition.
 *
 * @param fileOffset where its first block begins
 * @param length bytes of its blocks
 * @param logicalStart logical offset of its first block in the partition
 * @param minMapIndex lowest map index of its blocks
 * @param maxMapIndex highest map index of its blocks
 * @param blockCount blocks
 * @param blockListOffset where the list of its blocks begins in the file
 * @param blockListCrc32c of that list
 * @param marks slice marks, by ascending offset, covering all of it
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

  /** The same, with its block list in its place. */
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
