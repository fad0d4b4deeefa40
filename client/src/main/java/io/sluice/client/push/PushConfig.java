package io.sluice.client.push;

import io.sluice.client.compress.CodecChoice;
import io.sluice.client.server.RetryConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Settings of pushes.
 *
 * @param frameBytes maximum bytes of one frame; the limit of a server may be less
 * @param inFlightBytes maximum bytes of one session without acknowledgement
 * @param writeQuorum number of replicas that must acknowledge a frame, at least 1
 * @param connectionRetry retries at a server that cannot be reached
 * @param busyRetry retries at a server that replies but accepts no frame at present
 */
public record PushConfig(
    int frameBytes,
    long inFlightBytes,
    int writeQuorum,
    BlockCodec codec,
    int zstdLevel,
    RetryPolicy connectionRetry,
    RetryPolicy busyRetry) {
  /** Minimum size of a frame: a block header and a payload that is worth sending. */
  public static final int MIN_FRAME_BYTES = 4 << 10;

  /**
   * Frames larger than this gain nothing: from 1 MiB on the fixed cost of a frame is negligible.
   * Every server accepts frames of this size.
   */
  private static final long MAX_USEFUL_FRAME_BYTES = 4L << 20;

  private static final long FIRST_DELAY_MS = 50;

  static final ConfigKey<Integer> PUSH_ATTEMPTS =
      ConfigKey.integer("rss.client.retry.max")
          .defaultValue(50)
          .atLeast(1)
          .atMost(10_000)
          .doc(
              "Maximum number of attempts to send one push to a server that fails or refuses it;"
                  + " after that it goes to another server or to local output. Lower it to fail"
                  + " over sooner from servers that refuse pushes.")
          .build();

  static final ConfigKey<Long> BUSY_TIMEOUT =
      ConfigKey.durationMs("rss.client.send.check.timeout.ms")
          .defaultValue(600_000L)
          .atLeast(1L)
          .doc(
              "Time for which a reachable but busy server may delay one push before the push goes"
                  + " to another server or to local output. Lower it if slow servers delay jobs.")
          .build();

  static final ConfigKey<Long> FRAME =
      ConfigKey.dataSize("rss.client.send.size.limit")
          .defaultValue(2L << 20)
          .atLeast((long) MIN_FRAME_BYTES)
          .atMost(1L << 30)
          .doc(
              "Maximum size of one push frame; a value above 4 MiB has the effect of 4 MiB. Raise"
                  + " it for executors with few tasks and fast networks.")
          .build();

  static final ConfigKey<Long> IN_FLIGHT =
      ConfigKey.dataSize("rss.client.send.in.flight.size")
          .defaultValue(16L << 20)
          .atLeast(64L << 10)
          .atMost(1L << 30)
          .doc(
              "Maximum bytes that one task has pushed without an acknowledgement; tasks lower it"
                  + " for servers that report memory pressure. Raise it on networks with a long"
                  + " round trip.")
          .build();

  static final ConfigKey<CodecChoice> CODEC =
      ConfigKey.enumeration("rss.client.io.compression.codec", CodecChoice.class)
          .defaultText("the codec of the engine")
          .doc(
              "Compression codec of blocks: `LZ4`, `ZSTD`, `SNAPPY`, or `NONE` (also `NOOP`)."
                  + " Without this key, the codec of the engine's configuration is used. Set"
                  + " `ZSTD` if network or disks are the bottleneck, `NONE` if the records are"
                  + " already compressed.")
          .build();

  static final ConfigKey<Integer> ZSTD_LEVEL =
      ConfigKey.integer("rss.client.io.compression.zstd.level")
          .deprecatedName("rss.client.io.compression.zstd.compression.level")
          .defaultValue(3)
          .atLeast(-7)
          .atMost(22)
          .doc(
              "Compression level of the `ZSTD` codec; other codecs have none. Raise it if CPU is"
                  + " idle while network or disks are busy.")
          .build();

  public static final ConfigKey<Integer> WRITE_QUORUM =
      ConfigKey.integer("rss.data.replica.write")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .doc(
              "Number of replicas that must acknowledge a block for a map attempt to succeed. Set"
                  + " it to the value of rss.data.replica to survive the loss of a server"
                  + " directly after the attempt.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      List.of(PUSH_ATTEMPTS, BUSY_TIMEOUT, FRAME, IN_FLIGHT, CODEC, ZSTD_LEVEL, WRITE_QUORUM);

  public PushConfig {
    if (frameBytes < MIN_FRAME_BYTES || inFlightBytes < frameBytes || writeQuorum < 1) {
      throw new IllegalArgumentException(
          "invalid push settings: expected frameBytes of at least "
              + MIN_FRAME_BYTES
              + ", inFlightBytes of at least frameBytes and writeQuorum of at least 1, found"
              + " frameBytes="
              + frameBytes
              + " inFlightBytes="
              + inFlightBytes
              + " writeQuorum="
              + writeQuorum);
    }
  }

  /**
   * @param engineCodec used if no codec is set
   */
  public static PushConfig from(ConfigSet set, RetryConfig retry, BlockCodec engineCodec) {
    int frameBytes = (int) Math.min(set.get(FRAME), MAX_USEFUL_FRAME_BYTES);
    return new PushConfig(
        frameBytes,
        Math.max(frameBytes, set.get(IN_FLIGHT)),
        set.get(WRITE_QUORUM),
        set.find(CODEC).map(CodecChoice::codec).orElse(engineCodec),
        set.get(ZSTD_LEVEL),
        retry.policy(set.get(PUSH_ATTEMPTS), FIRST_DELAY_MS, retry.unreachableMs()),
        retry.policy(Integer.MAX_VALUE, FIRST_DELAY_MS, set.get(BUSY_TIMEOUT)));
  }
}
