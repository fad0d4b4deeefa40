package io.sluice.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.LocalSocketFrame;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Splits the bytes of a client into messages. Closes the connection after a header with another
 * type than the expected one, or with too long a message: before the message is received. Owned by
 * the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class LocalFrameDecoder extends ByteToMessageDecoder {
  private final Supplier<LocalSocketFrame> expected;
  private final Consumer<String> denials;

  /** Length of the message whose header was received; -1 if its header is next. */
  private int length = -1;

  /**
   * @param expected type of the next message
   * @param denials receives the reason for closing the connection
   */
  LocalFrameDecoder(Supplier<LocalSocketFrame> expected, Consumer<String> denials) {
    this.expected = expected;
    this.denials = denials;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (!context.channel().isActive()) {
      // It arrived together with a message that was refused.
      in.skipBytes(in.readableBytes());
      return;
    }
    if (length < 0) {
      if (in.readableBytes() < LocalSocketFrame.HEADER_LENGTH) {
        return;
      }
      int announced = in.readIntLE();
      try {
        expected.get().check(announced, in.readUnsignedByte());
      } catch (FrameFormatException e) {
        denials.accept("message refused: " + e.getMessage());
        context.close();
        return;
      }
      length = announced;
    }
    if (in.readableBytes() >= length) {
      out.add(in.readRetainedSlice(length));
      length = -1;
    }
  }
}
