package io.sluice.client.push;

import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;

/**
 * How map output is pushed.
 *
 * @param frameBytes most bytes of one push; a server's own limit may be less
 * @param inFlightBytes most bytes of one session that are sent and not acknowledged
 * @param writeQuorum replicas of a partition that must take it, at least 1
 * @param connectionRetry for a server that cannot be reached
 * @param busyRetry for a server that answers, but takes nothing now
 */
public record PushConfig(
    int frameBytes,
    long inFlightBytes,
    int writeQuorum,
    BlockCodec codec,
    int zstdLevel,
    RetryPolicy connectionRetry,
    RetryPolicy busyRetry) {
  /** Smallest frame: room for a block's header and something worth sending. */
  public static final int MIN_FRAME_BYTES = 4 << 10;

  public PushConfig {
    if (frameBytes < MIN_FRAME_BYTES || inFlightBytes < frameBytes || writeQuorum < 1) {
      throw new IllegalArgumentException(
          "push: expected a frame of at least "
              + MIN_FRAME_BYTES
              + " bytes, room for one in flight and a quorum of at least 1, found frameBytes="
              + frameBytes
              + " inFlightBytes="
              + inFlightBytes
              + " writeQuorum="
              + writeQuorum);
    }
  }
}
