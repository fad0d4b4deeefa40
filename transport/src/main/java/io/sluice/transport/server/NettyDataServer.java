package io.sluice.transport.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.LingeringClose;
import io.sluice.common.net.SocketIo;
import io.sluice.common.tls.HandshakeThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data protocol over framed TCP. Thread-safe; start once, close once. */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners handle the results.
public final class NettyDataServer implements AutoCloseable {
  /**
   * Maximum number of connections that the kernel queues until they are accepted; a large job opens
   * thousands at once.
   */
  private static final int BACKLOG = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(NettyDataServer.class);

  /**
   * Each part that a connection writes is encrypted into one buffer, instead of one for each record
   * of 16 KiB.
   */
  private static final int WHOLE_PARTS = -1;

  /** Timeout of shutting down the event loops, in milliseconds. */
  private static final int CLOSE_TIMEOUT_MS = 5_000;

  private final DataService service;
  private final NettyServerConfig config;
  private final Optional<SslContext> tls;
  private final TransportCounters counters;
  private final LongSupplier nanoTime;
  private final ExecutorService handshakes = HandshakeThreads.create("sluice-data-tls");
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private SocketIo io;
  private EventLoopGroup eventLoops;
  private Channel listener;

  /** Without TLS. */
  public NettyDataServer(
      DataService service,
      NettyServerConfig config,
      TransportCounters counters,
      LongSupplier nanoTime) {
    this(service, config, Optional.empty(), counters, nanoTime);
  }

  /**
   * @param tls context of all connections; empty: without TLS
   */
  public NettyDataServer(
      DataService service,
      NettyServerConfig config,
      Optional<SslContext> tls,
      TransportCounters counters,
      LongSupplier nanoTime) {
    this.service = service;
    this.config = config;
    this.tls = tls;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /**
   * Binds the port and accepts connections.
   *
   * @throws IOException with the address, if it cannot be bound
   */
  public synchronized void start() throws IOException {
    if (eventLoops != null) {
      throw new IllegalStateException("already started");
    }
    io = SocketIo.select(config.ioMode());
    eventLoops = io.newEventLoops(config.threads(), "sluice-data-io");
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(eventLoops)
            .channel(io.serverSocketClass())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel);
                  }
                });
    InetSocketAddress address =
        config.host() == null
            ? new InetSocketAddress(config.port())
            : new InetSocketAddress(config.host(), config.port());
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      shutDownLoops();
      throw new IOException(
          "cannot bind data port " + address + ": " + bound.cause().getMessage(), bound.cause());
    }
    listener = bound.channel();
    LOG.info(
        "data server started port={} ioMode={} threads={}", port(), io.mode(), config.threads());
  }

  private void accept(SocketChannel channel) {
    SocketAddress peer = channel.remoteAddress();
    String refusal = counters.connectionOpened(config.connections(), peer);
    if (refusal != null) {
      refuse(channel, refusal);
      return;
    }
    NettyTransportConnection connection =
        new NettyTransportConnection(
            channel, peer, service, config.connections(), tls.isPresent(), counters, nanoTime);
    if (tls.isPresent()) {
      // Encrypted bytes cannot be read directly into the memory of the body.
      SslHandler encryption = tls.get().newHandler(channel.alloc(), handshakes);
      encryption.setWrapDataSize(WHOLE_PARTS);
      channel.pipeline().addLast(encryption);
    } else {
      channel.config().setRecvByteBufAllocator(connection.receiver().allocator());
    }
    channel.pipeline().addLast(connection.receiver());
    connections.add(channel);
    connection.start();
  }

  private void refuse(SocketChannel channel, String reason) {
    if (tls.isPresent()) {
      // Sending the reason would require a handshake.
      channel.close();
      return;
    }
    ByteBuf error = ServerConnection.tooManyConnections(channel.alloc(), service, reason);
    LingeringClose.refuse(channel, error);
  }

  /** The bound port. */
  public synchronized int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** The I/O mode in use, which may differ from the configured mode. */
  public synchronized IoMode ioMode() {
    return io.mode();
  }

  /** Number of queued tasks of all event loops; an estimate. */
  public int pendingTasks() {
    EventLoopGroup loops;
    synchronized (this) {
      loops = eventLoops;
    }
    int pending = 0;
    if (loops != null) {
      for (EventExecutor loop : loops) {
        if (loop instanceof SingleThreadEventExecutor executor) {
          pending += executor.pendingTasks();
        }
      }
    }
    return pending;
  }

  /** Stops accepting connections; existing connections continue. Idempotent. */
  public synchronized void stopAccepting() {
    if (listener != null) {
      listener.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    }
  }

  /** Closes every connection and stops the threads, within a bounded time. Idempotent. */
  @Override
  public synchronized void close() {
    if (eventLoops == null || eventLoops.isShuttingDown()) {
      return;
    }
    stopAccepting();
    connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    shutDownLoops();
  }

  private void shutDownLoops() {
    handshakes.shutdownNow();
    io.shutDown(eventLoops, CLOSE_TIMEOUT_MS);
  }
}
