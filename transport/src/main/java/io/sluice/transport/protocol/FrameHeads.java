package io.sluice.transport.protocol;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.protocol.FrameFormatException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Encoding and decoding of a frame's header and head. */
public final class FrameHeads {
  /** Heap of a range, its builder and its list entry; an encoded range has at least 2 bytes. */
  private static final long RANGE_HEAP_BYTES = 120;

  private static final int RANGE_GROWTH = 60;

  private FrameHeads() {}

  /**
   * Encodes header and head of a frame whose body of {@code bodyLength} bytes is sent separately.
   * The caller owns the buffer.
   */
  public static ByteBuf encode(
      ByteBufAllocator allocator,
      FrameType type,
      long requestId,
      MessageLite head,
      int bodyLength) {
    int headLength = head.getSerializedSize();
    byte[] bytes = new byte[headLength];
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      head.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("internal error: head is longer than its computed size", e);
    }
    ByteBuf buffer = allocator.buffer(FrameHeader.LENGTH + headLength);
    buffer.writeIntLE(FrameHeader.MAGIC);
    buffer.writeByte(FrameHeader.VERSION);
    buffer.writeByte(type.wireNumber());
    buffer.writeShortLE(0);
    buffer.writeLongLE(requestId);
    buffer.writeIntLE(headLength);
    buffer.writeIntLE(bodyLength);
    buffer.writeIntLE(0);
    buffer.writeIntLE(0);
    buffer.writeBytes(bytes);
    int start = buffer.readerIndex();
    buffer.setIntLE(
        start + FrameHeader.HEAD_CRC_AT, FrameHeader.checksum(buffer, start, headLength));
    return buffer;
  }

  /**
   * Upper bound of the memory for receiving and parsing the head of a request, in bytes, for any
   * contents: the received bytes, whose buffer grows by doubling, a copy as an array, and the
   * parsed objects.
   */
  public static long parsedBytes(FrameType type, int headLength) {
    long objects =
        type == FrameType.FETCH
            ? Math.min((long) RANGE_GROWTH * headLength, RANGE_HEAP_BYTES * FrameLimits.MAX_RANGES)
            : 2L * headLength;
    return 3L * headLength + objects;
  }

  /**
   * Parses a verified head of {@code headLength} bytes at {@code index}. Unknown fields are
   * dropped, because each would use many times its encoded size. Borrows {@code buffer}.
   *
   * @throws FrameFormatException if the bytes are not a message of that type, or repeat a field
   *     more often than the protocol allows; no object was created then
   */
  public static <T extends Message> T parse(
      Parser<T> parser, FrameType type, ByteBuf buffer, int index, int headLength)
      throws FrameFormatException {
    try {
      byte[] head = new byte[headLength];
      buffer.getBytes(index, head);
      RepeatedFields.check(type, head);
      return DiscardUnknownFieldsParser.wrap(parser).parseFrom(head);
    } catch (InvalidProtocolBufferException e) {
      throw new FrameFormatException(
          Reason.BAD_HEAD, "frame " + type + ": cannot parse the head: " + e.getMessage());
    }
  }
}
