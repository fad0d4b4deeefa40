package io.sluice.client.push;

import io.sluice.client.compress.PayloadTransform;

/**
 * Options of a push session that the engine supplies.
 *
 * @param transform transform of every payload, such as encryption; null for none
 * @param replacementServers source of servers after one fails or is full; null for none
 * @param localSink destination of blocks that no server accepts; null: the attempt fails
 * @param sizes formula of the partition lengths
 * @param rows set if the records may be encoded: rows of Spark SQL or MapReduce records; null for
 *     none
 */
public record PushOptions(
    PayloadTransform transform,
    ReplacementServers replacementServers,
    LocalSink localSink,
    BlockSizes sizes,
    RowBlocks rows) {
  /** No encryption, no failover. */
  public static final PushOptions NONE = new PushOptions(null, null, null);

  /** Options with {@link BlockSizes#PAYLOADS}, without rows. */
  public PushOptions(
      PayloadTransform transform, ReplacementServers replacementServers, LocalSink localSink) {
    this(transform, replacementServers, localSink, BlockSizes.PAYLOADS, null);
  }

  /**
   * Returns these options without replacement servers: frames go to assigned servers or local
   * output.
   */
  public PushOptions withoutReplacementServers() {
    return new PushOptions(transform, null, localSink, sizes, rows);
  }
}
