package io.sluice.cli.bench;

import io.sluice.common.block.BlockHeader;

/**
 * Blocks of one size, distributed evenly over the workers.
 *
 * @param blocks number of blocks of all workers
 * @param payloadLength payload of a block in bytes
 * @param blocksPerFrame maximum number of blocks in a frame
 */
record PushBenchPlan(long blocks, int payloadLength, int blocksPerFrame) {

  long payloadBytes() {
    return blocks * payloadLength;
  }

  /** Number of blocks of worker {@code worker} of {@code workers}. */
  long blocksOf(int worker, int workers) {
    return blocks / workers + (worker < blocks % workers ? 1 : 0);
  }

  int blockLength() {
    return BlockHeader.LENGTH + payloadLength;
  }
}
