package io.sluice.server.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.transport.protocol.ServerHandshake;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks the token of a connection at each request, and periodically. Closes the connection when
 * the token has expired or is revoked. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class LocalTokenCheck extends ChannelInboundHandlerAdapter {
  static final long INTERVAL_MS = 1_000;

  private final ServerHandshake handshake;
  private final Consumer<String> denials;
  private Future<?> periodic;

  /**
   * @param handshake finished
   * @param denials receives the reason if the token is revoked
   */
  LocalTokenCheck(ServerHandshake handshake, Consumer<String> denials) {
    this.handshake = handshake;
    this.denials = denials;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    periodic =
        context
            .executor()
            .scheduleWithFixedDelay(
                () -> check(context), INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object request) {
    if (check(context)) {
      context.fireChannelRead(request);
    } else {
      ReferenceCountUtil.release(request);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    periodic.cancel(false);
    context.fireChannelInactive();
  }

  private boolean check(ChannelHandlerContext context) {
    try {
      handshake.checkToken();
      return true;
    } catch (SluiceException e) {
      if (e.code() != StatusCode.TOKEN_EXPIRED) {
        denials.accept(e.getMessage());
      }
      periodic.cancel(false);
      context.close();
      return false;
    }
  }
}
