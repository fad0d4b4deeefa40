package io.sluice.transport.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.net.SocketIo;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import io.sluice.transport.net.DataExchange;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Connections inside gRPC streams. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners see what futures bring.
public final class GrpcDataTransport implements DataTransport {
  /** What gRPC buffers of a stream ahead of its reader: several body parts. */
  private static final int FLOW_CONTROL_WINDOW = 1 << 20;

  /** Longest wait for the event loops to end, in milliseconds. */
  private static final int CLOSE_TIMEOUT_MS = 5_000;

  private final TransportConfig config;
  private final ApplicationCredentials credentials;
  private final ClientTls tls;
  private final LongSupplier nanoTime;
  private final SocketIo io;
  private final EventLoopGroup eventLoops;
  private final Set<GrpcConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** For a cluster that asks for no proof. */
  public GrpcDataTransport(TransportConfig config, LongSupplier nanoTime) {
    this(config, new ApplicationCredentials(), ClientTls.OFF, nanoTime);
  }

  /**
   * @param credentials of the application, asked for the newest one whenever a connection is made
   */
  public GrpcDataTransport(
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
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    if (closed) {
      return CompletableFuture.failedFuture(new ConnectionLostException("transport closed"));
    }
    ManagedChannel channel =
        tls.secure(NettyChannelBuilder.forAddress(server.getHost(), server.getRpcPort()))
            // Retries would keep copies of what is sent; requests are retried by their callers.
            .disableRetry()
            .directExecutor()
            .eventLoopGroup(eventLoops)
            .channelType(io.socketClass())
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, config.connectTimeoutMs())
            .flowControlWindow(FLOW_CONTROL_WINDOW)
            .maxInboundMessageSize(DataExchange.MAX_MESSAGE_LENGTH)
            .build();
    GrpcConnection connection =
        new GrpcConnection(server.getName(), channel, config, nanoTime, connections::remove);
    connections.add(connection);
    connection.start(eventLoops);
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
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
    if (closed) {
      connection.close();
    }
    return result;
  }

  @Override
  public void close() {
    closed = true;
    List<GrpcConnection> open = List.copyOf(connections);
    open.forEach(GrpcConnection::close);
    // Their last callbacks, which free what is half received, need the event loops.
    long deadlineNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS);
    open.forEach(connection -> connection.awaitEnd(deadlineNanos - nanoTime.getAsLong()));
    io.shutDown(eventLoops, CLOSE_TIMEOUT_MS);
  }
}
