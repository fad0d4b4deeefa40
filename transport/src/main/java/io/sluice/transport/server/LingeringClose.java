package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that its peer can read the last reply. A socket that is closed with unread
 * bytes is reset, and the reset can discard sent data. Therefore only the output is shut down
 * first; the peer's bytes are read and dropped until it closes, or for {@link #LINGER_MS}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed close needs no action.
final class LingeringClose {
  private static final int LINGER_MS = 2_000;

  private LingeringClose() {}

  /**
   * Called on the channel's event loop.
   *
   * @param lastBytes takes ownership; sent after all earlier writes
   */
  static void afterSending(DuplexChannel channel, ByteBuf lastBytes) {
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
}
