package io.sluice.transport.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Connections over framed TCP. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners handle the results.
public final class NettyDataTransport extends EventLoopTransport<NettyConnection> {
  private static final AttributeKey<NettyConnection> CONNECTION =
      AttributeKey.valueOf(NettyDataTransport.class, "connection");

  private final Bootstrap bootstrap;

  /** For a cluster without authentication. */
  public NettyDataTransport(TransportConfig config, LongSupplier nanoTime) {
    this(config, ConnectionCredentials.NONE, ClientTls.OFF, nanoTime);
  }

  /**
   * @param credentials called for each new connection
   */
  public NettyDataTransport(
      TransportConfig config,
      ConnectionCredentials credentials,
      ClientTls tls,
      LongSupplier nanoTime) {
    super(config, credentials, tls, nanoTime);
    bootstrap =
        new Bootstrap()
            .group(eventLoops())
            .channel(io().socketClass())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, config.connectTimeoutMs())
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    config.localSocketAddress().ifPresent(bootstrap::localAddress);
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    if (server.getNettyPort() == 0) {
      return refused("server " + server.getName() + " does not offer the NETTY transport");
    }
    if (isClosed()) {
      return refused("the transport is closed");
    }
    CompletableFuture<DataConnection> ready = new CompletableFuture<>();
    ChannelFuture connected =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    NettyConnection connection =
                        new NettyConnection(server.getName(), channel, config(), nanoTime());
                    channel.attr(CONNECTION).set(connection);
                    Optional<ChannelHandler> encryption =
                        tls().handler(channel, server.getHost(), server.getNettyPort());
                    if (encryption.isPresent()) {
                      channel.pipeline().addLast(encryption.get());
                    } else {
                      channel.config().setRecvByteBufAllocator(connection.receiver().allocator());
                    }
                    channel.pipeline().addLast(connection.receiver());
                  }
                })
            .connect(server.getHost(), server.getNettyPort());
    connected.addListener(
        done -> {
          if (!done.isSuccess()) {
            ready.completeExceptionally(
                new ConnectionLostException(
                    "server " + server.getName() + ": cannot connect: " + done.cause().getMessage(),
                    done.cause()));
            return;
          }
          NettyConnection connection = connected.channel().attr(CONNECTION).get();
          add(connection);
          connected.channel().closeFuture().addListener(ended -> remove(connection));
          connection.start();
          startHandshake(connection, server, application, client, ready);
        });
    return ready;
  }
}
