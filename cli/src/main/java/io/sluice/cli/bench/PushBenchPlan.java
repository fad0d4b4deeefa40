package io.sluice.cli.bench;

import io.sluice.common.block.BlockHeader;

/**
 * What a push sends: blocks of one size, shared out evenly over the lanes.
 *
 * @param blocks of all lanes together
 * @param payloadLength of each, in bytes
 * @param blocksPerFrame at most
 */
record PushBenchPlan(long blocks, int payloadLength, int blocksPerFrame) {

  long payloadBytes() {
    return blocks * payloadLength;
  }

  /** Blocks that lane {@code lane} of {@code lanes} sends. */
  long blocksOf(int lane, int lanes) {
    return blocks / lanes + (lane < blocks % lanes ? 1 : 0);
  }

  int blockLength() {
    return BlockHeader.LENGTH + payloadLength;
  }
}
