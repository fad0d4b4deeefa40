package io.sluice.transport.protocol;

/**
 * The largest frame that a reader accepts, so that no peer decides how much is allocated.
 *
 * @param maxHeadLength bytes of a head of any type, in addition to {@link FrameType#maxHeadLength}
 * @param maxBodyLength bytes of a body
 */
public record FrameLimits(int maxHeadLength, int maxBodyLength) {
  /** Maximum number of partitions of one Open. */
  public static final int MAX_PARTITIONS = 4096;

  /** Maximum number of ranges of one Fetch. */
  public static final int MAX_RANGES = 16_384;

  /** Each type's own limit for heads. A body is as large as one push or one fetched slice. */
  public static final FrameLimits DEFAULT =
      new FrameLimits(FrameType.OPEN_REPLY.maxHeadLength(), 64 << 20);

  public FrameLimits {
    if (maxHeadLength < 1024 || maxBodyLength < 1024) {
      throw new IllegalArgumentException(
          "frame limits must be at least 1024 bytes: head "
              + maxHeadLength
              + ", body "
              + maxBodyLength);
    }
  }
}
