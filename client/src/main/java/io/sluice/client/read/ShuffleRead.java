package io.sluice.client.read;

import java.io.IOException;

/**
 * A read of some partitions of one shuffle. Owned by the task thread. Only that thread waits, and
 * every wait ends at a deadline or by interruption. Memory is limited by the slices in flight.
 */
public interface ShuffleRead extends AutoCloseable {
  /**
   * Returns the next batch of records. Each batch is returned exactly once. Batches of one attempt
   * in one partition have the order in which they were added, unless the request allows any order;
   * there is no order among attempts and partitions.
   *
   * @return null after the last batch, when every expected attempt is verified to be complete
   * @throws BlocksMissingException if an expected block is not available at any server nor in local
   *     output, or every copy of it is damaged
   * @throws io.sluice.common.error.SluiceException if a server refuses the read and no retry can
   *     help
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  ShuffleBlock next() throws IOException;

  ReadCounters counters();

  /** Frees all resources, at any time. Never waits. Idempotent. */
  @Override
  void close();
}
