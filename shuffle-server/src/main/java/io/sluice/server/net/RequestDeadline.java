package io.sluice.server.net;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Closes an idle connection: one without a complete request within {@code firstMs} after it was
 * opened, or without a further request or sent reply within {@code idleMs}. Bytes of an incomplete
 * request do not count, and neither do the messages of the handshake. Placed after the handler of
 * the handshake in the pipeline. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class RequestDeadline extends ChannelDuplexHandler {
  private final int firstMs;
  private final int idleMs;
  private final Consumer<String> denials;
  private Future<?> deadline;
  private boolean asked;

  /**
   * @param firstMs timeout from the connection to its first request, with the handshake
   * @param idleMs timeout from the latest request or reply to the next one
   * @param denials receives the reason if a connection without any request was closed
   */
  RequestDeadline(int firstMs, int idleMs, Consumer<String> denials) {
    this.firstMs = firstMs;
    this.idleMs = idleMs;
    this.denials = denials;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    restart(context, firstMs);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object request) {
    asked = true;
    restart(context, idleMs);
    context.fireChannelRead(request);
  }

  @Override
  public void write(ChannelHandlerContext context, Object answer, ChannelPromise promise) {
    promise.addListener(
        sent -> {
          if (sent.isSuccess()) {
            restart(context, idleMs);
          }
        });
    context.write(answer, promise);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    deadline.cancel(false);
    context.fireChannelInactive();
  }

  private void restart(ChannelHandlerContext context, int ms) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    deadline = context.executor().schedule(() -> end(context), ms, TimeUnit.MILLISECONDS);
  }

  private void end(ChannelHandlerContext context) {
    if (!asked) {
      denials.accept("no request after a handshake within " + firstMs + " ms");
    }
    context.close();
  }
}
