package io.sluice.mr;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Header of a segment. A segment contains sorted records of one map attempt for one partition and
 * is the content of one block. An attempt has one or more segments for every partition, numbered
 * from 0. Each is a complete {@code IFile}, of which Hadoop's built-in shuffle has one per
 * partition (docs/formats.md).
 *
 * @param index index of the segment within attempt and partition
 * @param last whether it is the last segment
 * @param rawLength uncompressed bytes of the records, including the end mark
 */
public record Segment(int index, boolean last, long rawLength) {
  public static final int HEADER_BYTES = 16;

  private static final int VERSION = 1;
  private static final int LAST = 1;

  public Segment {
    if (index < 0 || rawLength < 0) {
      throw new IllegalArgumentException(
          "negative segment index or length index=" + index + " rawLength=" + rawLength);
    }
  }

  /** Writes the header at the beginning of an array. */
  public void write(byte[] to) {
    ByteBuffer.wrap(to)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) VERSION)
        .put((byte) (last ? LAST : 0))
        .putShort((short) 0)
        .putInt(index)
        .putLong(rawLength);
  }

  /**
   * Reads a header and advances the position by its length.
   *
   * @throws SluiceException BAD_VERSION or BAD_MESSAGE if the header is invalid
   */
  public static Segment read(ByteBuffer from) throws SluiceException {
    if (from.remaining() < HEADER_BYTES) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "segment header: expected " + HEADER_BYTES + " bytes, found " + from.remaining());
    }
    ByteBuffer at = from.slice().order(ByteOrder.LITTLE_ENDIAN);
    int version = at.get();
    int flags = at.get();
    int reserved = at.getShort();
    int index = at.getInt();
    long rawLength = at.getLong();
    if (version != VERSION) {
      throw new SluiceException(
          StatusCode.BAD_VERSION,
          "segment header: expected version " + VERSION + ", found " + version);
    }
    if ((flags & ~LAST) != 0 || reserved != 0 || index < 0 || rawLength < 0) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "segment header: invalid field flags="
              + flags
              + " reserved="
              + reserved
              + " index="
              + index
              + " rawLength="
              + rawLength);
    }
    from.position(from.position() + HEADER_BYTES);
    return new Segment(index, (flags & LAST) != 0, rawLength);
  }
}
