package io.sluice.benchmark.rows;

import io.sluice.common.block.BlockCodec;

/**
 * Results of an exchange, or the sum of several. All numbers but the first are those of the logged
 * blocks, scaled to all blocks.
 *
 * @param query such as {@code tpch-3}
 * @param exchange number of the exchange in its query
 * @param bytes serialized bytes of all blocks
 * @param plain blocks without row planes
 * @param encoded blocks with row planes
 */
record RowExchange(
    String query, int exchange, BlockCodec codec, double bytes, Blocks plain, Blocks encoded) {
  /**
   * Blocks of a session.
   *
   * @param bytes bytes of blocks, with headers
   * @param reportedBytes lengths of partitions for map statuses
   * @param writeNanos CPU time to encode, compress and seal
   * @param readNanos CPU time to verify, decompress and decode
   */
  record Blocks(double bytes, double reportedBytes, double writeNanos, double readNanos) {
    Blocks times(double factor) {
      return new Blocks(
          bytes * factor, reportedBytes * factor, writeNanos * factor, readNanos * factor);
    }

    Blocks plus(Blocks other) {
      return new Blocks(
          bytes + other.bytes,
          reportedBytes + other.reportedBytes,
          writeNanos + other.writeNanos,
          readNanos + other.readNanos);
    }
  }

  /** Bytes with row planes, as a share of those without. */
  double ratio() {
    return encoded.bytes / plain.bytes;
  }

  RowExchange plus(RowExchange other, String name) {
    return new RowExchange(
        name, 0, codec, bytes + other.bytes, plain.plus(other.plain), encoded.plus(other.encoded));
  }
}
