package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that its peer can read why. A socket that is closed with unread bytes in
 * it is reset, and the reset overtakes what was sent last; so only the sending side is shut at
 * first, and the peer's bytes are read and dropped until it closes, or for {@link #LINGER_MS}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Nothing is left to do if closing fails.
final class LingeringClose {
  private static final int LINGER_MS = 2_000;

  private LingeringClose() {}

  /**
   * Called on the channel's event loop.
   *
   * @param lastBytes takes: sent after everything that was written before
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
