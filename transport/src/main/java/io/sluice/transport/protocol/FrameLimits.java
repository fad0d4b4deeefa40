package io.sluice.transport.protocol;

/**
 * Maximum size of frames that a receiver accepts, which bounds its allocations.
 *
 * @param maxHeadLength maximum length of a head of any type in bytes, in addition to {@link
 *     FrameType#maxHeadLength}
 * @param maxBodyLength maximum length of a body in bytes
 */
public record FrameLimits(int maxHeadLength, int maxBodyLength) {
  /** Maximum number of partitions of one Open. */
  public static final int MAX_PARTITIONS = 4096;

  /** Maximum number of ranges of one Fetch. */
  public static final int MAX_RANGES = 16_384;

  /** Maximum number of damaged blocks that a Fetch reports. */
  public static final int MAX_REPORTED_BLOCKS = 16;

  /** For heads only the limit of each type; a body contains one push or one fetched slice. */
  public static final FrameLimits DEFAULT =
      new FrameLimits(FrameType.OPEN_REPLY.maxHeadLength(), 64 << 20);

  public FrameLimits {
    if (maxHeadLength < 1024 || maxBodyLength < 1024) {
      throw new IllegalArgumentException(
          "frame limits must be at least 1024 bytes: maxHeadLength="
              + maxHeadLength
              + " maxBodyLength="
              + maxBodyLength);
    }
  }
}
