package io.sluice.client.push;

import io.sluice.client.compress.PayloadTransform;
import io.sluice.common.block.BlockCodec;

/**
 * Options of a push session that the engine supplies.
 *
 * @param transform transform of every payload, such as encryption; null for none
 * @param replacementServers source of servers after one fails or is full; null for none
 * @param localSink destination of blocks that no server accepts; null: the attempt fails
 * @param sizes formula of the partition lengths
 * @param rows set if the records may be encoded: rows of Spark SQL or MapReduce records; null for
 *     none
 * @param codec codec of all blocks; null: that of the configuration
 */
public record PushOptions(
    PayloadTransform transform,
    ReplacementServers replacementServers,
    LocalSink localSink,
    BlockSizes sizes,
    RowBlocks rows,
    BlockCodec codec) {
  /** No encryption, no failover. */
  public static final PushOptions NONE = new PushOptions(null, null, null);

  /** Options with {@link BlockSizes#PAYLOADS}, without rows. */
  public PushOptions(
      PayloadTransform transform, ReplacementServers replacementServers, LocalSink localSink) {
    this(transform, replacementServers, localSink, BlockSizes.PAYLOADS, null);
  }

  /** Options with the codec of the configuration. */
  public PushOptions(
      PayloadTransform transform,
      ReplacementServers replacementServers,
      LocalSink localSink,
      BlockSizes sizes,
      RowBlocks rows) {
    this(transform, replacementServers, localSink, sizes, rows, null);
  }

  /**
   * Returns these options for data that the engine has serialized and compressed: blocks are not
   * encoded and not compressed, and lengths of partitions are bytes of payloads.
   */
  public PushOptions opaque() {
    return new PushOptions(
        transform, replacementServers, localSink, BlockSizes.PAYLOADS, null, BlockCodec.NONE);
  }

  /**
   * Returns these options without replacement servers: frames go to assigned servers or local
   * output.
   */
  public PushOptions withoutReplacementServers() {
    return new PushOptions(transform, null, localSink, sizes, rows, codec);
  }
}
