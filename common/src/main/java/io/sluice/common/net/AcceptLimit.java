package io.sluice.common.net;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * First handler of a listening channel: closes accepted connections beyond the limits before a byte
 * is read. The first {@link #MAX_REPLIES} at a time get a reply with the reason. Thread-safe.
 */
@Sharable
public final class AcceptLimit extends ChannelInboundHandlerAdapter {
  /** Maximum number of refused connections that are open until their peer has read the reply. */
  static final int MAX_REPLIES = 64;

  private final PeerConnections connections;
  private final RefusalReply reply;
  private final BiConsumer<SocketAddress, String> onRefusal;
  private final AtomicInteger replies = new AtomicInteger();

  /**
   * @param onRefusal called with the peer and the reason, on the listener's thread
   */
  public AcceptLimit(
      PeerConnections connections,
      RefusalReply reply,
      BiConsumer<SocketAddress, String> onRefusal) {
    this.connections = connections;
    this.reply = reply;
    this.onRefusal = onRefusal;
  }

  /** Creates listening channels with this limit. */
  public <C extends ServerChannel> ChannelFactory<C> before(Class<C> listener) {
    ChannelFactory<C> factory = new ReflectiveChannelFactory<>(listener);
    return () -> {
      C channel = factory.newChannel();
      channel.pipeline().addLast(this);
      return channel;
    };
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof Channel child)) {
      context.fireChannelRead(message);
      return;
    }
    SocketAddress peer = child.remoteAddress();
    String refusal = connections.open(peer);
    if (refusal != null) {
      onRefusal.accept(peer, refusal);
      refuse(context.channel().eventLoop(), child, refusal);
      return;
    }
    ChannelFuture unused = child.closeFuture().addListener(closed -> connections.closed(peer));
    context.fireChannelRead(message);
  }

  /**
   * @param child not registered with an event loop yet
   */
  private void refuse(EventLoop loop, Channel child, String reason) {
    byte[] bytes = reply.of(reason);
    if (bytes.length == 0
        || !(child instanceof DuplexChannel channel)
        || replies.getAndUpdate(open -> Math.min(MAX_REPLIES, open + 1)) == MAX_REPLIES) {
      child.unsafe().closeForcibly();
      return;
    }
    ChannelFuture unused = child.closeFuture().addListener(closed -> replies.decrementAndGet());
    ChannelFuture unusedToo =
        loop.register(child)
            .addListener(
                registered -> {
                  if (registered.isSuccess()) {
                    LingeringClose.refuse(channel, Unpooled.wrappedBuffer(bytes));
                  } else {
                    child.unsafe().closeForcibly();
                  }
                });
  }
}
