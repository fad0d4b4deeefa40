package io.sluice.client.push;

import io.sluice.client.compress.CodecChoice;
import io.sluice.client.server.RetryConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

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

  /**
   * Larger frames gain nothing: at 1 MiB the cost of a frame is already lost in its bytes. Every
   * server accepts frames of this size.
   */
  private static final long USEFUL_FRAME_BYTES = 4L << 20;

  private static final long FIRST_DELAY_MS = 50;

  static final ConfigKey<Integer> PUSH_ATTEMPTS =
      ConfigKey.integer("rss.client.retry.max")
          .defaultValue(50)
          .atLeast(1)
          .atMost(10_000)
          .doc(
              "How often one push is sent to a server before it goes to another server or to"
                  + " local output. Lower it to fail over sooner from servers that refuse pushes.")
          .build();

  static final ConfigKey<Long> PUSH_PATIENCE =
      ConfigKey.durationMs("rss.client.send.check.timeout.ms")
          .defaultValue(600_000L)
          .atLeast(1L)
          .doc(
              "How long a live but busy server may delay one push before it goes to another"
                  + " server or to local output. Lower it if slow servers hold up jobs.")
          .build();

  static final ConfigKey<Long> FRAME =
      ConfigKey.dataSize("rss.client.send.size.limit")
          .defaultValue(2L << 20)
          .atLeast((long) MIN_FRAME_BYTES)
          .atMost(1L << 30)
          .doc(
              "Maximum size of one push; beyond 4 MiB it counts as 4 MiB. Raise it for executors"
                  + " with few tasks and fast networks.")
          .build();

  static final ConfigKey<Long> IN_FLIGHT =
      ConfigKey.dataSize("rss.client.send.in.flight.size")
          .defaultValue(16L << 20)
          .atLeast(64L << 10)
          .atMost(1L << 30)
          .doc(
              "Maximum bytes that one task has pushed without an acknowledgement; servers under"
                  + " memory pressure lower it. Raise it on networks with a long round trip.")
          .build();

  static final ConfigKey<CodecChoice> CODEC =
      ConfigKey.enumeration("rss.client.io.compression.codec", CodecChoice.class)
          .defaultText("the engine's own")
          .doc(
              "Compression of blocks: `LZ4`, `ZSTD`, `SNAPPY`, or `NONE` (also `NOOP`). Set"
                  + " `ZSTD` if network or disks are the bottleneck, `NONE` if records are compressed"
                  + " already.")
          .build();

  static final ConfigKey<Integer> ZSTD_LEVEL =
      ConfigKey.integer("rss.client.io.compression.zstd.level")
          .deprecatedName("rss.client.io.compression.zstd.compression.level")
          .defaultValue(3)
          .atLeast(-7)
          .atMost(22)
          .doc("Level of `ZSTD`. Raise it if CPU is idle while network or disks are busy.")
          .build();

  public static final ConfigKey<Integer> WRITE_QUORUM =
      ConfigKey.integer("rss.data.replica.write")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .doc(
              "Number of replicas that must acknowledge a block for a map attempt to succeed. Set"
                  + " it to rss.data.replica if each server may be lost right after the attempt.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      List.of(PUSH_ATTEMPTS, PUSH_PATIENCE, FRAME, IN_FLIGHT, CODEC, ZSTD_LEVEL, WRITE_QUORUM);

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

  /**
   * @param engineCodec used where no codec is set
   */
  public static PushConfig from(ConfigSet set, RetryConfig retry, BlockCodec engineCodec) {
    int frameBytes = (int) Math.min(set.get(FRAME), USEFUL_FRAME_BYTES);
    return new PushConfig(
        frameBytes,
        Math.max(frameBytes, set.get(IN_FLIGHT)),
        set.get(WRITE_QUORUM),
        set.find(CODEC).map(CodecChoice::codec).orElse(engineCodec),
        set.get(ZSTD_LEVEL),
        retry.policy(set.get(PUSH_ATTEMPTS), FIRST_DELAY_MS, retry.unreachableMs()),
        retry.policy(Integer.MAX_VALUE, FIRST_DELAY_MS, set.get(PUSH_PATIENCE)));
  }
}
