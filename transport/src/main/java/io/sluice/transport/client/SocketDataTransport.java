package io.sluice.transport.client;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Framed TCP without TLS, with the Java runtime's sockets and one thread. For short processes, for
 * which loading several hundred classes of Netty's channels would cost more than sending the data.
 * Thread-safe.
 */
public final class SocketDataTransport implements DataTransport {
  private static final int CLOSE_TIMEOUT_MS = 5_000;

  private final TransportConfig config;
  private final ConnectionCredentials credentials;
  private final ClientTls tls;
  private final ByteBufAllocator allocator;
  private final LongSupplier nanoTime;
  // Guarded by this.
  private SocketLoop loop;
  private boolean closed;

  /**
   * @param credentials called for each new connection
   * @param tls plain text, with the name in the identities of servers
   * @param allocator allocator of received data and of heads
   */
  public SocketDataTransport(
      TransportConfig config,
      ConnectionCredentials credentials,
      ClientTls tls,
      ByteBufAllocator allocator,
      LongSupplier nanoTime) {
    this.config = config;
    this.credentials = credentials;
    this.tls = tls;
    this.allocator = allocator;
    this.nanoTime = nanoTime;
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    if (server.getNettyPort() == 0) {
      return CompletableFuture.failedFuture(
          new ConnectionLostException(
              "server " + server.getName() + " does not offer the NETTY transport"));
    }
    SocketLoop running = loop();
    if (running == null) {
      return CompletableFuture.failedFuture(new ConnectionLostException("the transport is closed"));
    }
    SocketConnection connection =
        new SocketConnection(server.getName(), running, allocator, config, nanoTime);
    // Named classes instead of lambdas, because the first use of each lambda costs more.
    CompletableFuture<DataConnection> handshake =
        connection
            .connected()
            .thenCompose(
                new Function<SocketConnection, CompletionStage<DataConnection>>() {
                  @Override
                  public CompletionStage<DataConnection> apply(SocketConnection made) {
                    return made.hello(
                        application, client, credentials, tls.peerName(server.getHost()));
                  }
                });
    CompletableFuture<DataConnection> ready = new CompletableFuture<>();
    connection.handOver(handshake, ready);
    running.execute(
        new Runnable() {
          @Override
          public void run() {
            connection.connect(server.getHost(), server.getNettyPort());
          }
        });
    if (running.hasEnded()) {
      connection.close();
    }
    return ready;
  }

  /** Null if the transport is closed. */
  private synchronized SocketLoop loop() {
    if (loop == null && !closed) {
      loop = new SocketLoop(config.overdueCheckMs());
      loop.start();
    }
    return closed ? null : loop;
  }

  @Override
  public void close() {
    SocketLoop ending;
    synchronized (this) {
      closed = true;
      ending = loop;
    }
    if (ending != null) {
      ending.close(CLOSE_TIMEOUT_MS);
    }
  }
}
