package io.sluice.transport.client;

import io.netty.channel.EventLoopGroup;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.net.SocketIo;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Base class of transports on Netty's event loops. Owns the event loops and shuts them down when it
 * is closed. Thread-safe.
 */
abstract class EventLoopTransport<C extends FramedConnection> implements DataTransport {
  /** Timeout of shutting down the event loops, in milliseconds. */
  static final int CLOSE_TIMEOUT_MS = 5_000;

  private final TransportConfig config;
  private final ConnectionCredentials credentials;
  private final ClientTls tls;
  private final LongSupplier nanoTime;
  private final SocketIo io;
  private final EventLoopGroup eventLoops;
  private final Set<C> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  EventLoopTransport(
      TransportConfig config,
      ConnectionCredentials credentials,
      ClientTls tls,
      LongSupplier nanoTime) {
    this.config = config;
    this.credentials = credentials;
    this.tls = tls;
    this.nanoTime = nanoTime;
    io = SocketIo.select(config.ioMode());
    eventLoops = io.newEventLoops(config.threads(), "sluice-client-io");
  }

  final TransportConfig config() {
    return config;
  }

  final ClientTls tls() {
    return tls;
  }

  final LongSupplier nanoTime() {
    return nanoTime;
  }

  final SocketIo io() {
    return io;
  }

  final EventLoopGroup eventLoops() {
    return eventLoops;
  }

  final boolean isClosed() {
    return closed;
  }

  static CompletableFuture<DataConnection> refused(String why) {
    return CompletableFuture.failedFuture(new ConnectionLostException(why));
  }

  /** Registers a connection, which is closed with the transport, until {@link #remove}. */
  final void add(C connection) {
    connections.add(connection);
  }

  final void remove(C connection) {
    connections.remove(connection);
  }

  /**
   * Performs the handshake on a connection that was added and started.
   *
   * @param ready completes with the connection, or with the failure
   */
  final void startHandshake(
      C connection,
      ServerId server,
      String application,
      String client,
      CompletableFuture<DataConnection> ready) {
    connection.handOver(
        connection.hello(application, client, credentials, tls.peerName(server.getHost())), ready);
    if (closed) {
      connection.close();
    }
  }

  /** Waits for tasks of closed connections that need the event loops. */
  void awaitEnd(List<C> ended) {}

  @Override
  public final void close() {
    closed = true;
    List<C> open = List.copyOf(connections);
    open.forEach(FramedConnection::close);
    awaitEnd(open);
    io.shutDown(eventLoops, CLOSE_TIMEOUT_MS);
  }
}
