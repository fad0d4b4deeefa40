package io.sluice.mr;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of a segment: sorted records of one map attempt for one partition, which is one
 * content of a Sluice block. An attempt has one or more for every partition, numbered from 0, each
 * a whole {@code IFile} as Hadoop's own map output has one for each partition (docs/formats.md).
 *
 * @param index number within attempt and partition
 * @param last whether no further one follows
 * @param rawLength bytes of the records when they are not compressed, the end mark included
 */
public record Segment(int index, boolean last, long rawLength) {
  public static final int HEADER_BYTES = 16;

  private static final int VERSION = 1;
  private static final int LAST = 1;

  public Segment {
    if (index < 0 || rawLength < 0) {
      throw new IllegalArgumentException("segment " + index + " of " + rawLength + " bytes");
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
   * Reads a header, and moves the position behind it.
   *
   * @throws SluiceException BAD_VERSION or BAD_MESSAGE if it is not one that this version knows
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
          "segment header: flags="
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
