package io.sluice.common.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import java.net.SocketAddress;
import java.util.function.BiConsumer;

/**
 * First handler of a listening channel: closes accepted connections beyond the limits before a byte
 * is read. Thread-safe.
 */
@Sharable
public final class AcceptLimit extends ChannelInboundHandlerAdapter {
  private final PeerConnections connections;
  private final BiConsumer<SocketAddress, String> onRefusal;

  /**
   * @param onRefusal called with the peer and the reason, on the listener's thread
   */
  public AcceptLimit(PeerConnections connections, BiConsumer<SocketAddress, String> onRefusal) {
    this.connections = connections;
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
      // Not registered with an event loop yet.
      child.unsafe().closeForcibly();
      onRefusal.accept(peer, refusal);
      return;
    }
    ChannelFuture unused = child.closeFuture().addListener(closed -> connections.closed(peer));
    context.fireChannelRead(message);
  }
}
