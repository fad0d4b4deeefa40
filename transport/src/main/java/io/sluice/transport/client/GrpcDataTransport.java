package io.sluice.transport.client;

import io.grpc.Attributes;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ServerId;
import io.sluice.transport.protocol.DataExchange;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Connections inside gRPC streams. Thread-safe. */
public final class GrpcDataTransport extends EventLoopTransport<GrpcConnection> {
  /**
   * Maximum number of bytes of a stream that gRPC buffers before they are read: several body parts.
   */
  private static final int FLOW_CONTROL_WINDOW = 1 << 20;

  /** For a cluster without authentication. */
  public GrpcDataTransport(TransportConfig config, LongSupplier nanoTime) {
    this(config, ConnectionCredentials.NONE, ClientTls.OFF, nanoTime);
  }

  /**
   * @param credentials called for each new connection
   */
  public GrpcDataTransport(
      TransportConfig config,
      ConnectionCredentials credentials,
      ClientTls tls,
      LongSupplier nanoTime) {
    super(config, credentials, tls, nanoTime);
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    if (isClosed()) {
      return refused("the transport is closed");
    }
    NettyChannelBuilder builder =
        tls()
            .channel(server.getHost(), server.getRpcPort())
            .directExecutor()
            .eventLoopGroup(eventLoops())
            .channelType(io().socketClass())
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, config().connectTimeoutMs())
            .flowControlWindow(FLOW_CONTROL_WINDOW)
            .maxInboundMessageSize(DataExchange.MAX_MESSAGE_LENGTH);
    config()
        .localSocketAddress()
        .ifPresent(address -> builder.localSocketPicker(new LocalAddress(address)));
    GrpcConnection connection =
        new GrpcConnection(server.getName(), builder.build(), config(), nanoTime(), this::remove);
    add(connection);
    connection.start(eventLoops());
    CompletableFuture<DataConnection> ready = new CompletableFuture<>();
    startHandshake(connection, server, application, client, ready);
    return ready;
  }

  /** Binds each connection to one address. */
  private static final class LocalAddress extends NettyChannelBuilder.LocalSocketPicker {
    private final SocketAddress address;

    LocalAddress(SocketAddress address) {
      this.address = address;
    }

    @Override
    public SocketAddress createSocketAddress(SocketAddress remote, Attributes attributes) {
      return address;
    }
  }

  /** Waits for the last callbacks, which free incomplete frames. */
  @Override
  void awaitEnd(List<GrpcConnection> ended) {
    long deadlineNanos = nanoTime().getAsLong() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS);
    ended.forEach(connection -> connection.awaitEnd(deadlineNanos - nanoTime().getAsLong()));
  }
}
