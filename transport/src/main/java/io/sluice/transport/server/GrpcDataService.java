package io.sluice.transport.server;

import io.grpc.BindableService;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
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
 * The data protocol inside the gRPC stream {@code sluice.v1.Data/Exchange}. Thread-safe. Bind it to
 * a server that {@link #configure} has prepared.
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
   * @param executor runs what other threads have for a connection; normally the gRPC server's own
   * @param scheduler looks for silent connections; takes microseconds of it
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

  /** With the longest message of a stream that has not said HELLO yet. */
  public static CallLimits limits(CallLimits others) {
    return others.with(DataExchange.METHOD, GrpcTransportConnection.longestFirstMessage());
  }

  /** Sets what data streams need of the server that carries them. */
  public void configure(NettyServerBuilder server) {
    // Beyond the limits of all methods, which end a call with words of their own.
    server.maxInboundMessageSize(
        Math.max(
            DataExchange.MAX_MESSAGE_LENGTH,
            FrameHeader.LENGTH + service.limits().maxHeadLength()));
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

  /** Ends every stream; those of a server that is shut down end by themselves. */
  public void closeConnections() {
    connections.forEach(
        connection -> connection.fail(Status.UNAVAILABLE.withDescription("server stops")));
  }
}
