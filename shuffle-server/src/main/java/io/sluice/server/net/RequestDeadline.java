package io.sluice.server.net;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Closes a connection that does nothing: no whole request within a time from its beginning, or
 * neither a request nor an answer that was taken within another time since the last one. Bytes of
 * an unfinished request do not count. Stands behind the decoder. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Nothing is left to do if closing fails.
final class RequestDeadline extends ChannelDuplexHandler {
  private final int firstMs;
  private final int idleMs;
  private final Consumer<String> denials;
  private Future<?> deadline;
  private boolean asked;

  /**
   * @param firstMs from the connection to its first request
   * @param idleMs from the last request or answer to the next
   * @param denials told why a connection was closed that has never asked
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
        taken -> {
          if (taken.isSuccess()) {
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
      denials.accept("no request within " + firstMs + " ms");
    }
    context.close();
  }
}
