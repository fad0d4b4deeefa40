package io.sluice.server.control;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The gRPC server: control calls and the GRPC data transport on one port. Its calls run on a pool
 * of its own. One thread starts and closes it.
 */
public final class RpcServer implements AutoCloseable {
  private static final long IDLE_THREAD_S = 30;
  private static final long CLOSE_TIMEOUT_S = 5;

  /** Headers of a call, of which we use few. */
  private static final int MAX_METADATA_BYTES = 16 << 10;

  private final ThreadPoolExecutor executor;
  private Server server;
  private int port;

  /**
   * @param threads most threads for calls
   */
  public RpcServer(int threads) {
    AtomicInteger number = new AtomicInteger();
    executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "rpc-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  /** Where calls run. */
  public Executor executor() {
    return executor;
  }

  /**
   * Binds and serves.
   *
   * @param configuration what a service needs of the server beyond the defaults
   */
  public void start(
      InetSocketAddress address,
      Consumer<NettyServerBuilder> configuration,
      List<? extends BindableService> services)
      throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .executor(executor)
            .maxInboundMetadataSize(MAX_METADATA_BYTES);
    configuration.accept(builder);
    services.forEach(builder::addService);
    server = builder.build().start();
    port = server.getPort();
  }

  public int port() {
    return port;
  }

  /** Ends every call, within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    if (server != null) {
      server.shutdownNow();
      server.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    }
    executor.shutdown();
    executor.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
  }
}
