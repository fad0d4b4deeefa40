package io.sluice.common.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that its peer can read the last reply. A socket that is closed with unread
 * bytes is reset, and the reset can discard sent data. Therefore only the output is shut down
 * first; the peer's bytes are read and dropped until it closes, or for {@link #LINGER_MS}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed close needs no action.
public final class LingeringClose {
  private static final int LINGER_MS = 2_000;

  private LingeringClose() {}

  /**
   * Called on the channel's event loop.
   *
   * @param lastBytes takes ownership; sent after all earlier writes
   */
  public static void afterSending(DuplexChannel channel, ByteBuf lastBytes) {
    channel
        .writeAndFlush(lastBytes)
        .addListener(
            sent -> {
              if (!sent.isSuccess() || !channel.isActive()) {
                channel.close();
                return;
              }
              channel.shutdownOutput();
              channel.eventLoop().schedule(() -> channel.close(), LINGER_MS, TimeUnit.MILLISECONDS);
            });
  }

  /**
   * Sends the reason to the peer of a new connection that is refused, and closes it. The channel is
   * registered and has no handlers; it may become active later. Called on any thread.
   *
   * @param reason takes ownership
   */
  public static void refuse(DuplexChannel channel, ByteBuf reason) {
    channel.pipeline().addLast(new DroppingReader());
    // The channel becomes active after its initialization.
    channel.eventLoop().execute(() -> afterSending(channel, reason));
  }

  /** Reads and drops the bytes of a refused connection. */
  private static final class DroppingReader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
