package io.sluice.transport.protocol;

import com.google.protobuf.MessageLite;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Type and maximum length of a message on the Unix domain socket of a server. A frame has 5 bytes
 * of header, then the message: 4 bytes length of the message (little-endian), 1 byte type.
 *
 * <p>The messages of the handshake and their wire numbers are those of data connections ({@link
 * FrameType}).
 */
public enum LocalSocketFrame {
  HELLO(FrameType.HELLO),
  HELLO_REPLY(FrameType.HELLO_REPLY),
  CHALLENGE(FrameType.CHALLENGE),
  PROOF(FrameType.PROOF),
  /** The connection is refused, because a limit of connections is reached. */
  ERROR(FrameType.ERROR.wireNumber(), 4 << 10),
  /**
   * 64 names of 38 bytes, an application of 256 characters, two numbers. The reply consists of
   * descriptors.
   */
  RUN_FILES(12, 4 << 10);

  /** Length of a frame's header, in bytes. */
  public static final int HEADER_LENGTH = 5;

  private final int wireNumber;
  private final int maxLength;

  LocalSocketFrame(FrameType type) {
    this(type.wireNumber(), type.maxHeadLength());
  }

  LocalSocketFrame(int wireNumber, int maxLength) {
    this.wireNumber = wireNumber;
    this.maxLength = maxLength;
  }

  public int wireNumber() {
    return wireNumber;
  }

  /** Maximum length of the message, in bytes. */
  public int maxLength() {
    return maxLength;
  }

  /** Encodes a frame. */
  public byte[] encode(MessageLite message) {
    byte[] bytes = message.toByteArray();
    return ByteBuffer.allocate(HEADER_LENGTH + bytes.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(bytes.length)
        .put((byte) wireNumber)
        .put(bytes)
        .array();
  }

  /**
   * Checks the header of a received frame, in which this type is expected.
   *
   * @throws FrameFormatException BAD_TYPE, TOO_LARGE
   */
  public void check(int length, int type) throws FrameFormatException {
    if (type != wireNumber) {
      throw new FrameFormatException(
          FrameFormatException.Reason.BAD_TYPE, "frame has type " + type + ", expected " + this);
    }
    if (length < 0 || length > maxLength) {
      throw new FrameFormatException(
          FrameFormatException.Reason.TOO_LARGE,
          this + " has " + Integer.toUnsignedString(length) + " bytes, maximum " + maxLength);
    }
  }
}
