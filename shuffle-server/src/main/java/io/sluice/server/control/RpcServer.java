package io.sluice.server.control;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The gRPC server: control calls and the GRPC data transport on one port. Its calls run on a pool
 * of its own; a client that sends no bytes for long is asked whether it lives.
 */
public final class RpcServer implements AutoCloseable {
  private static final long IDLE_THREAD_S = 30;
  private static final long KEEPALIVE_S = 60;
  private static final long KEEPALIVE_TIMEOUT_S = 20;
  private static final long LEAST_CLIENT_KEEPALIVE_S = 5;
  private static final long CLOSE_TIMEOUT_S = 5;

  /** Headers of a call, of which we use few. */
  private static final int MAX_METADATA_BYTES = 16 << 10;

  private final Server server;
  private final ThreadPoolExecutor executor;

  private final int port;

  private RpcServer(Server server, ThreadPoolExecutor executor) {
    this.server = server;
    this.port = server.getPort();
    this.executor = executor;
  }

  /**
   * Binds and serves.
   *
   * @param threads most threads for calls
   * @param maxMessageBytes largest message that is taken
   */
  public static RpcServer start(
      InetSocketAddress address,
      int threads,
      int maxMessageBytes,
      List<ServerServiceDefinition> services)
      throws IOException {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor executor =
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
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .executor(executor)
            .maxInboundMessageSize(maxMessageBytes)
            .maxInboundMetadataSize(MAX_METADATA_BYTES)
            .keepAliveTime(KEEPALIVE_S, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEPALIVE_TIMEOUT_S, TimeUnit.SECONDS)
            .permitKeepAliveTime(LEAST_CLIENT_KEEPALIVE_S, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    services.forEach(builder::addService);
    Server server = builder.build();
    try {
      server.start();
    } catch (IOException e) {
      executor.shutdownNow();
      throw e;
    }
    return new RpcServer(server, executor);
  }

  public int port() {
    return port;
  }

  /** Ends every call, within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    server.shutdownNow();
    server.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
    executor.shutdown();
    executor.awaitTermination(CLOSE_TIMEOUT_S, TimeUnit.SECONDS);
  }
}
