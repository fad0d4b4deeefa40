package io.sluice.transport.protocol;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.block.Crc32c;

/** Creates valid frames and repairs checksums of modified frames. */
public final class FrameBytes {
  private static final int HEAD_LENGTH_AT = 16;
  private static final int BODY_LENGTH_AT = 20;
  private static final int CRC_AT = 24;

  private FrameBytes() {}

  /** A frame without a body. */
  public static byte[] of(FrameType type, MessageLite head) {
    ByteBuf frame = FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, type, 42, head, 0);
    byte[] bytes = ByteBufUtil.getBytes(frame);
    frame.release();
    return bytes;
  }

  /** End of the first head according to its header. */
  public static int headEnd(byte[] input) {
    if (input.length < FrameHeader.LENGTH) {
      return input.length;
    }
    long end = FrameHeader.LENGTH + (long) Unpooled.wrappedBuffer(input).getIntLE(HEAD_LENGTH_AT);
    return (int) Math.max(FrameHeader.LENGTH, Math.min(end, input.length));
  }

  /** A copy with valid checksums of all heads that can be located. */
  public static byte[] sealed(byte[] input) {
    byte[] changed = input.clone();
    ByteBuf stream = Unpooled.wrappedBuffer(changed);
    long at = 0;
    while (at + FrameHeader.LENGTH <= changed.length) {
      int start = (int) at;
      int head = stream.getIntLE(start + HEAD_LENGTH_AT);
      int body = stream.getIntLE(start + BODY_LENGTH_AT);
      if (head < 0 || body < 0 || head > changed.length - start - FrameHeader.LENGTH) {
        break;
      }
      Crc32c crc = new Crc32c();
      crc.update(stream, start, CRC_AT);
      crc.update(stream, start + FrameHeader.LENGTH, head);
      stream.setIntLE(start + CRC_AT, crc.value());
      at += FrameHeader.LENGTH + (long) head + body;
    }
    return changed;
  }
}
