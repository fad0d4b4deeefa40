package io.sluice.common.run;

import io.sluice.common.block.BlockHeader;

/**
 * One block of a run, as listed in the block list.
 *
 * @param flags as in the block's header
 * @param length bytes of header and payload
 */
public record RunBlock(long mapAttempt, int mapIndex, int sequence, int length, int flags) {
  public boolean isLast() {
    return (flags & BlockHeader.FLAG_LAST) != 0;
  }
}
