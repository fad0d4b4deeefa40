package io.sluice.cli.bench;

import io.sluice.common.block.BlockHeader;

/**
 * What a push sends: blocks of one size, shared out evenly over the workers.
 *
 * @param blocks of all workers together
 * @param payloadLength of each, in bytes
 * @param blocksPerFrame at most
 */
record PushBenchPlan(long blocks, int payloadLength, int blocksPerFrame) {

  long payloadBytes() {
    return blocks * payloadLength;
  }

  /** Blocks that worker {@code worker} of {@code workers} sends. */
  long blocksOf(int worker, int workers) {
    return blocks / workers + (worker < blocks % workers ? 1 : 0);
  }

  int blockLength() {
    return BlockHeader.LENGTH + payloadLength;
  }
}
