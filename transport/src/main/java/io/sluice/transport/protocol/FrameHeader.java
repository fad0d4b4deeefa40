package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.Crc32c;
import io.sluice.transport.protocol.FrameFormatException.Reason;

/**
 * Header of a frame: 32 bytes, little-endian, followed by the head and the body.
 *
 * <pre>
 *  at size field
 *   0    4 magic       "SLFR"
 *   4    1 version     1: version of this layout; the protocol version is negotiated by HELLO
 *   5    1 type        see {@link FrameType}
 *   6    2 flags       zero; any bit set: refuse
 *   8    8 requestId   chosen by the client, repeated in the reply
 *  16    4 headLength  bytes of the protobuf head, at least 0
 *  20    4 bodyLength  bytes of the raw body, at least 0; more than 0 only in PUSH and FETCH_REPLY
 *  24    4 headCrc32c  over bytes 0..23 and the head
 *  28    4 reserved    zero
 * </pre>
 *
 * The body has separate checksums, one per block.
 *
 * @param headCrc32c checksum as received; {@link #verifyHead} checks it
 */
public record FrameHeader(
    FrameType type, long requestId, int headLength, int bodyLength, int headCrc32c) {

  /** Bytes of an encoded header. */
  public static final int LENGTH = 32;

  public static final int VERSION = 1;

  static final int MAGIC = 'S' | 'L' << 8 | 'F' << 16 | 'R' << 24;
  static final int MAGIC_AT = 0;
  static final int VERSION_AT = MAGIC_AT + 4;
  static final int TYPE_AT = VERSION_AT + 1;
  static final int FLAGS_AT = TYPE_AT + 1;
  static final int REQUEST_ID_AT = FLAGS_AT + 2;
  static final int HEAD_LENGTH_AT = REQUEST_ID_AT + 8;
  static final int BODY_LENGTH_AT = HEAD_LENGTH_AT + 4;
  static final int HEAD_CRC_AT = BODY_LENGTH_AT + 4;
  static final int RESERVED_AT = HEAD_CRC_AT + 4;

  /**
   * Reads and checks the header at {@code index}, except the checksum, which covers the head too.
   * Borrows {@code buffer}; its indexes do not change.
   */
  public static FrameHeader read(ByteBuf buffer, int index, FrameLimits limits)
      throws FrameFormatException {
    if (index < 0 || buffer.writerIndex() - index < LENGTH) {
      throw new FrameFormatException(
          Reason.TRUNCATED,
          "frame: expected a header of "
              + LENGTH
              + " bytes, found "
              + (buffer.writerIndex() - index));
    }
    int magic = buffer.getIntLE(index + MAGIC_AT);
    if (magic != MAGIC) {
      throw new FrameFormatException(
          Reason.BAD_MAGIC, String.format("frame: expected magic %08x, found %08x", MAGIC, magic));
    }
    int version = buffer.getUnsignedByte(index + VERSION_AT);
    if (version != VERSION) {
      throw new FrameFormatException(
          Reason.BAD_VERSION, "frame: expected version " + VERSION + ", found " + version);
    }
    int typeNumber = buffer.getUnsignedByte(index + TYPE_AT);
    FrameType type = FrameType.ofWireNumber(typeNumber);
    if (type == null) {
      throw new FrameFormatException(Reason.BAD_TYPE, "frame: unknown type " + typeNumber);
    }
    int flags = buffer.getUnsignedShortLE(index + FLAGS_AT);
    int reserved = buffer.getIntLE(index + RESERVED_AT);
    if (flags != 0 || reserved != 0) {
      throw new FrameFormatException(
          Reason.BAD_FLAGS,
          String.format("frame: unknown flags %04x, reserved %08x", flags, reserved));
    }
    int headLength = buffer.getIntLE(index + HEAD_LENGTH_AT);
    int bodyLength = buffer.getIntLE(index + BODY_LENGTH_AT);
    int maxHeadLength = Math.min(type.maxHeadLength(), limits.maxHeadLength());
    if (headLength < 0 || headLength > maxHeadLength) {
      throw new FrameFormatException(
          Reason.TOO_LARGE,
          "frame "
              + type
              + ": head of "
              + headLength
              + " bytes exceeds the limit of "
              + maxHeadLength);
    }
    if (bodyLength < 0 || bodyLength > limits.maxBodyLength()) {
      throw new FrameFormatException(
          Reason.TOO_LARGE,
          "frame "
              + type
              + ": body of "
              + bodyLength
              + " bytes exceeds the limit of "
              + limits.maxBodyLength());
    }
    if (bodyLength > 0 && !type.mayHaveBody()) {
      throw new FrameFormatException(
          Reason.BAD_HEAD, "frame " + type + ": body of " + bodyLength + " bytes, expected none");
    }
    return new FrameHeader(
        type,
        buffer.getLongLE(index + REQUEST_ID_AT),
        headLength,
        bodyLength,
        buffer.getIntLE(index + HEAD_CRC_AT));
  }

  /**
   * The request id of a header that may be invalid, so that an error reply can have it. Borrows
   * {@code buffer}, which must have {@code LENGTH} bytes.
   */
  public static long requestId(ByteBuf buffer, int index) {
    return buffer.getLongLE(index + REQUEST_ID_AT);
  }

  /**
   * Verifies the checksum of header and head, which are adjacent from {@code index}. Borrows {@code
   * buffer}.
   */
  public void verifyHead(ByteBuf buffer, int index) throws FrameFormatException {
    int found = checksum(buffer, index, headLength);
    if (found != headCrc32c) {
      throw new FrameFormatException(
          Reason.BAD_CHECKSUM,
          String.format("frame %s: head crc expected=%08x actual=%08x", type, headCrc32c, found));
    }
  }

  static int checksum(ByteBuf buffer, int index, int headLength) {
    Crc32c crc = new Crc32c();
    crc.update(buffer, index, HEAD_CRC_AT);
    crc.update(buffer, index + LENGTH, headLength);
    return crc.value();
  }
}
