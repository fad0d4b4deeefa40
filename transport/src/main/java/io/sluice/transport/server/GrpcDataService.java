package io.sluice.transport.server;

import io.grpc.BindableService;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.rpc.BoundedCall;
import io.sluice.common.rpc.CallLimits;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameHeader;
import java.io.InputStream;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * The data protocol inside the gRPC stream {@code sluice.v1.Data/Exchange}. Thread-safe. Call
 * {@link #configure} for the gRPC server before adding this service.
 */
public final class GrpcDataService implements BindableService {
  private final DataService service;
  private final DataTransportConfig config;
  private final TransportCounters counters;
  private final Executor executor;
  private final ScheduledExecutorService scheduler;
  private final LongSupplier nanoTime;
  private final Set<GrpcTransportConnection> connections = ConcurrentHashMap.newKeySet();

  /**
   * @param executor runs tasks of other threads for a connection, such as completed reads; normally
   *     that of the gRPC server
   * @param scheduler checks timeouts of connections; each check takes microseconds
   */
  public GrpcDataService(
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      Executor executor,
      ScheduledExecutorService scheduler,
      LongSupplier nanoTime) {
    this.service = service;
    this.config = config;
    this.counters = counters;
    this.executor = executor;
    this.scheduler = scheduler;
    this.nanoTime = nanoTime;
  }

  /** Adds the message limit of streams before the handshake. */
  public static CallLimits limits(CallLimits others) {
    return others.with(DataExchange.METHOD, GrpcTransportConnection.longestFirstMessage());
  }

  /** Configures a gRPC server for data streams. */
  public void configure(NettyServerBuilder server) {
    // Larger than the limits of all methods, which end a call with a better message.
    server.maxInboundMessageSize(
        Math.max(
            DataExchange.MAX_MESSAGE_LENGTH,
            FrameHeader.LENGTH + service.limits().maxHeadLength()));
    server.callExecutor(new StreamsOnEventLoops());
  }

  /**
   * Handles the messages of data streams on the event loop that receives them, as the framed
   * transport does: nothing in a {@link DataService} blocks, and another thread for each message
   * would cost more than its handling. All other calls keep the executor of the server.
   */
  private static final class StreamsOnEventLoops implements ServerCallExecutorSupplier {
    @Override
    public <Q, R> Executor getExecutor(ServerCall<Q, R> call, Metadata headers) {
      String method = call.getMethodDescriptor().getFullMethodName();
      return method.equals(DataExchange.METHOD.getFullMethodName()) ? Runnable::run : null;
    }
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(DataExchange.SERVICE)
        .addMethod(DataExchange.METHOD, (call, headers) -> accept(call))
        .build();
  }

  private ServerCall.Listener<InputStream> accept(ServerCall<InputStream, InputStream> call) {
    Optional<BoundedCall> bounds = Optional.ofNullable(BoundedCall.current());
    SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    String refusal = counters.connectionOpened(config, peer);
    if (refusal != null) {
      refuse(call, refusal);
      bounds.ifPresent(BoundedCall::closing);
      return new ServerCall.Listener<>() {};
    }
    GrpcTransportConnection connection =
        new GrpcTransportConnection(
            call,
            bounds,
            PooledByteBufAllocator.DEFAULT,
            service,
            config,
            counters,
            executor,
            nanoTime,
            connections::remove);
    connections.add(connection);
    connection.start(scheduler);
    return connection.listener();
  }

  private void refuse(ServerCall<InputStream, InputStream> call, String reason) {
    ByteBuf error =
        ServerConnection.tooManyConnections(PooledByteBufAllocator.DEFAULT, service, reason);
    try {
      call.sendHeaders(new Metadata());
      call.sendMessage(DataExchange.message(error));
      call.close(Status.OK, new Metadata());
    } finally {
      error.release();
    }
  }

  /** Ends every stream. Not needed if the gRPC server itself is shut down. */
  public void closeConnections() {
    connections.forEach(
        connection ->
            connection.fail(Status.UNAVAILABLE.withDescription("the server is stopping")));
  }
}
