package io.sluice.metrics.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.SocketIo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** An HTTP/1.1 server port. Thread-safe; start once, close once. */
@SuppressWarnings("FutureReturnValueIgnored") // Failures need no action.
public final class HttpPort implements AutoCloseable {
  /** Maximum length of the request line in bytes. */
  public static final int MAX_LINE_BYTES = 8 << 10;

  /**
   * Maximum length of a request's headers in bytes; the longest header is a proof with a few
   * hundred bytes.
   */
  public static final int MAX_HEADER_BYTES = 32 << 10;

  /** Maximum number of headers of a request. */
  public static final int MAX_HEADERS = 100;

  /** Maximum length of a request's body in bytes; valid requests have a few fields. */
  public static final int MAX_BODY_BYTES = 16 << 10;

  private static final int BACKLOG = 128;
  private static final int THREADS = 2;

  /**
   * Maximum number of queued calls. A connection has one call at a time, so the queue fills only
   * with calls of closed connections.
   */
  private static final int MAX_CALLS_WAITING = 1024;

  /**
   * Maximum number of bytes of one read. It also bounds the memory of pipelined requests of a
   * connection.
   */
  private static final int READ_BYTES = 4 << 10;

  private static final long CLOSE_TIMEOUT_MS = 5_000;

  private final String name;
  private final Optional<SslContext> tls;
  private final AcceptLimit limit;
  private final HttpTimeouts timeouts;
  private final InstantSource clock;
  private final HttpPages pages;
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final SocketIo io = SocketIo.select(IoMode.NIO);
  private EventLoopGroup loop;
  private ThreadPoolExecutor threads;
  private Channel listener;

  /**
   * @param name prefix of thread names
   * @param tls context of all connections; empty: without TLS
   * @param limit limit of connections
   * @param clock clock for the Date header of answers
   */
  public HttpPort(
      String name,
      Optional<SslContext> tls,
      AcceptLimit limit,
      HttpTimeouts timeouts,
      InstantSource clock,
      HttpPages pages) {
    this.name = name;
    this.tls = tls;
    this.limit = limit;
    this.timeouts = timeouts;
    this.clock = clock;
    this.pages = pages;
  }

  /**
   * Binds the address and accepts connections.
   *
   * @throws IOException if the address cannot be bound
   */
  public synchronized void start(InetSocketAddress address) throws IOException {
    if (loop != null) {
      throw new IllegalStateException("already started");
    }
    loop = io.newEventLoops(1, name + "-io");
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_CALLS_WAITING),
            DaemonThreads.numbered(name));
    RecvByteBufAllocator reads = new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(limit.before(NioServerSocketChannel.class))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    connections.add(channel);
                    tls.ifPresent(
                        context ->
                            channel
                                .pipeline()
                                .addLast(context.newHandler(channel.alloc(), threads)));
                    new HttpConnection(channel, timeouts, clock, pages, threads).attach();
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      endThreads();
      throw bound.cause() instanceof IOException failure
          ? failure
          : new IOException(bound.cause().getMessage(), bound.cause());
    }
    listener = bound.channel();
  }

  /** The bound port. */
  public synchronized int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Closes all connections, including those with running requests, and stops the threads within a
   * bounded time. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (loop == null || loop.isShuttingDown()) {
      return;
    }
    listener.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    endThreads();
  }

  private void endThreads() {
    threads.shutdownNow();
    io.shutDown(loop, CLOSE_TIMEOUT_MS);
  }
}
