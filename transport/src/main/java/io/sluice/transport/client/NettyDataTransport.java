package io.sluice.transport.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.AttributeKey;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.net.SocketIo;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Connections over framed TCP. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners see what futures bring.
public final class NettyDataTransport implements DataTransport {
  private static final AttributeKey<NettyConnection> CONNECTION =
      AttributeKey.valueOf(NettyDataTransport.class, "connection");

  /** Longest wait for the event loops to end, in milliseconds. */
  private static final int CLOSE_TIMEOUT_MS = 5_000;

  private final TransportConfig config;
  private final ApplicationCredentials credentials;
  private final ClientTls tls;
  private final LongSupplier nanoTime;
  private final SocketIo io;
  private final EventLoopGroup eventLoops;
  private final Bootstrap bootstrap;
  private final Set<NettyConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** For a cluster that asks for no proof. */
  public NettyDataTransport(TransportConfig config, LongSupplier nanoTime) {
    this(config, new ApplicationCredentials(), ClientTls.OFF, nanoTime);
  }

  /**
   * @param credentials of the application, asked for the newest one whenever a connection is made
   */
  public NettyDataTransport(
      TransportConfig config,
      ApplicationCredentials credentials,
      ClientTls tls,
      LongSupplier nanoTime) {
    this.config = config;
    this.credentials = credentials;
    this.tls = tls;
    this.nanoTime = nanoTime;
    io = SocketIo.select(config.ioMode());
    eventLoops = io.newEventLoops(config.threads(), "sluice-client-io");
    bootstrap =
        new Bootstrap()
            .group(eventLoops)
            .channel(io.socketClass())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, config.connectTimeoutMs())
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    if (server.getNettyPort() == 0) {
      return CompletableFuture.failedFuture(
          new ConnectionLostException(
              "server " + server.getName() + " does not offer the NETTY transport"));
    }
    if (closed) {
      return CompletableFuture.failedFuture(new ConnectionLostException("transport closed"));
    }
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    ChannelFuture connected =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    NettyConnection connection =
                        new NettyConnection(server.getName(), channel, config, nanoTime);
                    channel.attr(CONNECTION).set(connection);
                    Optional<ChannelHandler> encryption =
                        tls.handler(channel, server.getHost(), server.getNettyPort());
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
            result.completeExceptionally(
                new ConnectionLostException(
                    "server " + server.getName() + ": cannot connect: " + done.cause().getMessage(),
                    done.cause()));
            return;
          }
          begin(connected.channel(), application, client, result);
        });
    return result;
  }

  private void begin(
      Channel channel,
      String application,
      String client,
      CompletableFuture<DataConnection> result) {
    NettyConnection connection = channel.attr(CONNECTION).get();
    connections.add(connection);
    channel.closeFuture().addListener(done -> connections.remove(connection));
    if (closed) {
      connection.close();
    }
    connection.start();
    connection
        .hello(application, client, credentials)
        .whenComplete(
            (ready, failure) -> {
              if (failure != null) {
                connection.close();
                result.completeExceptionally(FramedConnection.connectFailure(failure));
              } else if (!result.complete(ready)) {
                connection.close();
              }
            });
  }

  @Override
  public void close() {
    closed = true;
    for (NettyConnection connection : connections) {
      connection.close();
    }
    io.shutDown(eventLoops, CLOSE_TIMEOUT_MS);
  }
}
