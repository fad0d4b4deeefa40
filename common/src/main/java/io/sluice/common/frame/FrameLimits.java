package io.sluice.common.frame;

/**
 * The largest frame that a reader takes, so that no peer decides how much is allocated.
 *
 * @param maxHeadLength bytes of a head
 * @param maxBodyLength bytes of a body
 */
public record FrameLimits(int maxHeadLength, int maxBodyLength) {
  /**
   * A head is at most an Open reply for 4096 partitions: 16 MiB leaves 4 KiB for each. A body is as
   * large as one push or one fetched slice.
   */
  public static final FrameLimits DEFAULT = new FrameLimits(16 << 20, 64 << 20);

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
