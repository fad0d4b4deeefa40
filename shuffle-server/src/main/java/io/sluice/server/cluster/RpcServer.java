package io.sluice.server.cluster;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.SocketIo;
import io.sluice.common.rpc.CallBounds;
import io.sluice.common.rpc.RpcPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The gRPC server: control calls and the GRPC data transport on one port. Calls run on a dedicated
 * thread pool. One thread starts and closes it.
 */
public final class RpcServer implements AutoCloseable {
  private static final long IDLE_THREAD_S = 30;
  private static final long CLOSE_TIMEOUT_S = 5;

  private static final int LOOPS_CLOSE_TIMEOUT_MS = 5_000;

  private final ThreadPoolExecutor executor;
  private final IoMode ioMode;
  private final int loops;
  private final AcceptLimit limit;
  private SocketIo io;
  private EventLoopGroup eventLoops;
  private Server server;
  private int port;

  /**
   * @param threads maximum number of threads for calls
   * @param ioMode I/O mode of sockets, if the machine supports it
   * @param loops number of I/O threads
   * @param limit limit of connections
   */
  public RpcServer(int threads, IoMode ioMode, int loops, AcceptLimit limit) {
    this.ioMode = ioMode;
    this.loops = loops;
    this.limit = limit;
    executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("rpc"));
    executor.allowCoreThreadTimeOut(true);
  }

  /** Executor of calls. */
  public Executor executor() {
    return executor;
  }

  /**
   * Binds and serves.
   *
   * <p>Connections have no maximum age: their streams carry data while a task runs, and a peer
   * would only reconnect.
   *
   * @param bounds limits of calls
   * @param denials records malformed requests
   * @param configuration adjusts the server builder and returns the services
   */
  public void start(
      InetSocketAddress address,
      CallBounds bounds,
      CallDenials denials,
      Function<NettyServerBuilder, List<BindableService>> configuration)
      throws IOException {
    io = SocketIo.select(ioMode);
    eventLoops = io.newEventLoops(loops, "rpc-io");
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .executor(executor)
            .bossEventLoopGroup(eventLoops)
            .workerEventLoopGroup(eventLoops);
    RpcPort.configure(builder, io.serverSocketClass(), limit, bounds);
    RpcPort.serve(builder, configuration.apply(builder), denials);
    server = builder.build().start();
    port = server.getPort();
  }

  public int port() {
    return port;
  }

  /** Cancels all calls, within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    if (server != null) {
      server.shutdownNow();
      server.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    }
    if (eventLoops != null) {
      io.shutDown(eventLoops, LOOPS_CLOSE_TIMEOUT_MS);
    }
    executor.shutdown();
    executor.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
  }
}
