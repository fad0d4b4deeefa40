package io.sluice.client.read;

import java.io.IOException;

/**
 * A read in progress. Owned by the task thread; only that thread ever waits here, and every wait
 * ends by a deadline or by interruption. Memory is bounded by the slices in flight.
 */
public interface ShuffleRead extends AutoCloseable {
  /**
   * The next content. Contents of one attempt in one partition come in the order in which they were
   * added, unless the request allows any; apart from that they come as they arrive. Each comes
   * exactly once.
   *
   * @return null when every expected attempt is proved whole and has been given
   * @throws BlocksMissingException if something expected cannot be had from any server nor from
   *     local output, or every copy of it is damaged
   * @throws io.sluice.common.error.SluiceException the code of a refusal that nothing helps against
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  ShuffleBlock next() throws IOException;

  ReadCounters counters();

  /** Frees everything, at any time. Never waits. Idempotent. */
  @Override
  void close();
}
