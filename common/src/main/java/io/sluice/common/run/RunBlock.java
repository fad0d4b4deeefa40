package io.sluice.common.run;

import io.sluice.common.block.BlockHeader;

/**
 * One block of a run, as listed in the block list.
 *
 * @param flags as in the block's header
 * @param length bytes of header and payload
 */
public record RunBlock(long mapAttempt, int mapIndex, int sequence, int length, int flags) {
  /** The entry of a block in the block list. */
  public static RunBlock of(BlockHeader block) {
    return new RunBlock(
        block.mapAttempt(), block.mapIndex(), block.sequence(), block.blockLength(), block.flags());
  }

  public boolean isLast() {
    return (flags & BlockHeader.FLAG_LAST) != 0;
  }
}
